from polybody.assembly.parts import Geom
from polybody.generated.formats.urdf import Link, Robot
from polybody.lowering.plants.mesh_files import MeshFiles

class Shapes:
    """Makes geoms of the links of one document.

    Args:
        document: as read.
        meshes: the meshes of its plant.
        quaternions: whether quaternions of origins count.
    """

    def __init__(self, document: Robot, meshes: MeshFiles, quaternions: bool) -> None: ...
    def geoms(self, link: Link) -> list[Geom]:
        """The geoms of a link: collisions, then visuals. A shape with a faulty mesh is omitted."""
