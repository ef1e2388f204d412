// usage: pinocchio TREE STATES RESULT
// Times Pinocchio's ABA and CRBA in both of their conventions, RNEA, and ABA followed by a semi-implicit Euler update,
// and writes the accelerations of all states. TREE: gravity, time step and number of joints, then a line for each joint: parent joint
// (0 is the world), kind, axis, placement in the parent joint (rotation by rows, translation), mass, centre of mass,
// rotational inertia about it by rows, armature.

#include <fstream>
#include <unsupported/Eigen/CXX11/Tensor>

// Pinocchio's Data clears four tensors of nv^3 numbers that ABA never looks at: 32 GB for a chain of 1000. Not cleared,
// they cost addresses only.
template <>
inline Eigen::Tensor<double, 3> &Eigen::TensorBase<Eigen::Tensor<double, 3>, Eigen::WriteAccessors>::setZero() {
  return derived();
}

#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/multibody.hpp>
#include <string>
#include <vector>

#include "timing.h"

using namespace pinocchio;
using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;

static Vector3d vector(std::istream &in) {
  Vector3d v;
  in >> v[0] >> v[1] >> v[2];
  return v;
}

static Matrix3d matrix(std::istream &in) {
  Matrix3d m;
  for (int row = 0; row < 3; row++) m.row(row) = vector(in).transpose();
  return m;
}

// The joint class with the axis compiled in where there is one: the fastest that Pinocchio has.
static JointModel joint(const std::string &kind, const Vector3d &axis) {
  if (kind == "free") return JointModelFreeFlyer();
  const bool x = axis == Vector3d::UnitX(), y = axis == Vector3d::UnitY(), z = axis == Vector3d::UnitZ();
  if (kind == "hinge") {
    if (x) return JointModelRX();
    if (y) return JointModelRY();
    if (z) return JointModelRZ();
    return JointModelRevoluteUnaligned(axis);
  }
  if (x) return JointModelPX();
  if (y) return JointModelPY();
  if (z) return JointModelPZ();
  return JointModelPrismaticUnaligned(axis);
}

int main(int argc, char **argv) {
  if (argc != 4) return 1;
  std::ifstream tree(argv[1]);
  Model model;
  model.gravity.linear() = vector(tree);
  double dt;
  int count;
  tree >> dt >> count;
  std::vector<double> armature;
  for (int i = 0; i < count; i++) {
    JointIndex parent;
    std::string kind;
    tree >> parent >> kind;
    const Vector3d axis = vector(tree);
    const Matrix3d rotation = matrix(tree);
    const Vector3d translation = vector(tree);
    double mass, reflected;
    tree >> mass;
    const Vector3d centre = vector(tree);
    const Matrix3d inertia = matrix(tree);
    tree >> reflected;
    const JointIndex id = model.addJoint(parent, joint(kind, axis), SE3(rotation, translation), std::to_string(i));
    model.appendBodyToJoint(id, Inertia(mass, centre, inertia), SE3::Identity());
    armature.insert(armature.end(), model.nvs[id], reflected);
  }
  if (!tree) return 1;
  model.armature = Eigen::Map<VectorXd>(armature.data(), model.nv);

  const double *numbers = read_doubles(argv[2], (long)STATES * (model.nq + 2 * model.nv));
  std::vector<VectorXd> q, v, tau;
  for (int s = 0; s < STATES; s++) {
    q.push_back(Eigen::Map<const VectorXd>(numbers + s * model.nq, model.nq));
    v.push_back(Eigen::Map<const VectorXd>(numbers + STATES * model.nq + s * model.nv, model.nv));
    tau.push_back(Eigen::Map<const VectorXd>(numbers + STATES * (model.nq + model.nv) + s * model.nv, model.nv));
  }

  Data data(model);
  FILE *result = fopen(argv[3], "wb");
  for (int s = 0; s < STATES; s++) {
    aba(model, data, q[s], v[s], tau[s], Convention::LOCAL);
    fwrite(data.ddq.data(), sizeof(double), model.nv, result);
  }
  fclose(result);

  VectorXd next_v(model.nv), next_q(model.nq);
  TIME("forward dynamics, local", aba(model, data, q[s], v[s], tau[s], Convention::LOCAL));
  TIME("forward dynamics, world", aba(model, data, q[s], v[s], tau[s], Convention::WORLD));
  TIME("inverse dynamics", rnea(model, data, q[s], v[s], tau[s]));
  TIME("mass matrix, local", crba(model, data, q[s], Convention::LOCAL));
  TIME("mass matrix, world", crba(model, data, q[s], Convention::WORLD));
  const auto step = [&](int s, Convention convention) {
    next_v = v[s] + dt * aba(model, data, q[s], v[s], tau[s], convention);
    integrate(model, q[s], dt * next_v, next_q);
  };
  TIME("step, local", step(s, Convention::LOCAL));
  TIME("step, world", step(s, Convention::WORLD));
  return 0;
}
