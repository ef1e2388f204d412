import sys, json
from pathlib import Path
from tests.differential import mjcf
from tests.differential.report import summary, text
if __name__=="__main__":
    paths=[Path(x.strip()) for x in open(sys.argv[1])]
    found=mjcf.compare_files(paths,seed=0,workers=1,steps=100)
    rep=summary(found,mjcf.TOLERANCES,format="mjcf",engine=mjcf.ENGINE,seed=0)
    Path(sys.argv[2]).write_text(json.dumps(rep,indent=1))
    print(text(rep))
