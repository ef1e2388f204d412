"""The physics: values, joints and one file per algorithm, each written once over a machine (see staging)."""
