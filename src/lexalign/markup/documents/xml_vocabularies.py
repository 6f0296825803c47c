"""What the elements of known XML vocabularies are: inline, code that is kept, or blocks that are kept.

All other elements of a known vocabulary are told apart by what surrounds them, as those of unknown ones.
"""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Vocabulary:
    """Names of elements, without prefixes."""

    roots: frozenset[str] = frozenset()
    inline: frozenset[str] = frozenset()
    blocks: frozenset[str] = frozenset()
    code: frozenset[str] = frozenset()  # inline, and kept with their content
    kept: frozenset[str] = frozenset()  # blocks, kept with their content


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Names that mean the same in most vocabularies; they are asked last.
COMMON = Vocabulary(
    inline=_names(
        "a abbr acronym b bdi bdo big bold bpt cite del dfn em emph emphasis ept font g hi i ins italic it "
        "link mark mrk pc ph q quote ref s small span strike strong sub subscript sup superscript tt u "
        "underline xref"
    ),
    blocks=_names(
        "article body caption cell chapter col dd div dl dt entry footer h1 h2 h3 h4 h5 h6 head header item "
        "li line list ol p para paragraph row section seg segment sentence table tbody td tfoot th thead "
        "title tr ul"
    ),
    code=_names("code kbd samp var script style"),
    kept=_names("pre"),
)
DOCBOOK = Vocabulary(
    roots=_names(
        "article appendix book bookinfo chapter glossary info part preface refentry reference sect1 sect2 "
        "section set topic"
    ),
    inline=_names(
        "abbrev accel acronym anchor citation citetitle emphasis firstterm footnoteref foreignphrase "
        "glossterm guibutton guiicon guilabel guimenu guimenuitem guisubmenu inlinemediaobject keycap "
        "keycombo link menuchoice mousebutton olink phrase productname quote shortcut subscript superscript "
        "trademark ulink wordasword xref"
    ),
    blocks=_names("entry para simpara title subtitle term member simplelist"),
    code=_names(
        "classname code command computeroutput email envar filename function indexterm literal methodname "
        "option package parameter prompt replaceable systemitem tag type uri userinput varname"
    ),
    kept=_names("programlisting screen literallayout synopsis cmdsynopsis funcsynopsis classsynopsis"),
)
DITA = Vocabulary(
    roots=_names("topic concept task reference map bookmap glossentry glossgroup dita troubleshooting"),
    inline=_names(
        "b cite i keyword line-through menucascade overline ph q sub sup term text tm u uicontrol wintitle "
        "xref boolean state image shortcut"
    ),
    blocks=_names("p li entry stentry cmd title shortdesc navtitle searchtitle note dt dd alt"),
    code=_names(
        "apiname cmdname codeph filepath indexterm msgnum option parmname synph systemoutput userinput "
        "varname"
    ),
    kept=_names("codeblock pre screen msgblock lines data draft-comment required-cleanup prolog"),
)


def vocabulary_of(root: str, doctype: str, namespaces: str) -> Vocabulary:
    """The vocabulary of a document, by its document type, its namespaces or its root."""
    told = f"{doctype} {namespaces}".lower()
    if "docbook" in told:
        return DOCBOOK
    if "dita" in told or (root in DITA.roots and root not in DOCBOOK.roots):
        return DITA
    return DOCBOOK if root in DOCBOOK.roots else Vocabulary()
