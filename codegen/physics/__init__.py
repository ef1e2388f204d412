"""The physics: values, joints and one file per algorithm, each written once for any machine (see staging)."""
