/* How the search ranks results. The values are Sphinx's own, except that the page of an element comes first if its tag is searched for:
   its title begins with the tag, while titles of other elements contain it in their paths. */
var Scorer = {
  score: ([docname, title, anchor, description, score]) => {
    const query = (new URLSearchParams(window.location.search).get("q") || "").trim().replace(/^<|>$/g, "").toLowerCase();
    const begin = title.replaceAll("&lt;", "<").replaceAll("&gt;", ">").toLowerCase();
    return begin.startsWith(`<${query}>`) ? score + 100 : score;
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
