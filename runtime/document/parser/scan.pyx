# cython: language_level=3, boundscheck=False, wraparound=False
"""A scanner of plain XML, several times as fast as a parser of full XML.

Plain XML is ASCII with line feeds as line ends, and has only elements, attributes, comments and text, without
references, sections and processing instructions, as in most models. The scan stops before any other
construct, valid or not; expat then reads the text again and continues there. So malformed text is reported by
expat alone, and text that the scan accepts is well-formed, with the same events at the same positions.
"""

import re

cimport cython
from libc.limits cimport INT_MAX
from libc.stdlib cimport free, realloc
from libc.string cimport memchr, memcmp, strlen, strncmp

cdef enum:
    NAME = 1  # allowed in a name
    FIRST = 2  # ... as its first character
    SPACE = 4
    CONTENT = 8  # allowed in text and comments without further checks
    VALUE = 16  # ... in an attribute
    PLAIN_ATTRIBUTES = 64  # of one element; more are left to expat

cdef unsigned char[256] KINDS

DECLARATION = re.compile(
    rb"""<\?xml[ \t\n]+version=(?:"1\.0"|'1\.0')"""
    rb"""(?:[ \t\n]+encoding=(?:"[A-Za-z][A-Za-z0-9._-]*"|'[A-Za-z][A-Za-z0-9._-]*'))?"""
    rb"""(?:[ \t\n]+standalone=(?:"(?:yes|no)"|'(?:yes|no)'))?[ \t\n]*\?>"""
)


cdef void lay_kinds():
    cdef int code
    for code in range(32, 128):
        letter = chr(code)
        first = letter.isalpha() or letter == "_"
        KINDS[code] = FIRST * first | NAME * (first or letter.isdigit() or letter in ".-")
        KINDS[code] |= CONTENT * (letter not in "<&]") | VALUE * (letter not in "<&\"'")
    KINDS[32] |= SPACE
    for code in (9, 10):
        KINDS[code] = SPACE


lay_kinds()


cdef inline unsigned char kind(const char* p) noexcept:
    return KINDS[<unsigned char> p[0]]


cdef inline const char* name_end(const char* p) noexcept:
    """The end of a name with at most one colon; equal to the start if there is none."""
    cdef const char* start = p
    if not kind(p) & FIRST:
        return start
    while kind(p) & NAME:
        p += 1
    if p[0] != c":":
        return p
    p += 1
    if not kind(p) & FIRST:
        return start
    while kind(p) & NAME:
        p += 1
    return start if p[0] == c":" else p


@cython.final
cdef class Scan:
    """One scan of one text. Python terminates bytes with a zero, which ends any name, space or value, so that
    the end of the text needs no separate check.
    """

    def __cinit__(self):
        self.most_attributes = INT_MAX

    def __dealloc__(self):
        free(self.attributes)
        free(self.opened)
        free(self.spare)

    cdef bint begin_at(self, bytes data) except -1:
        """Start at the beginning of a text; False if it cannot be scanned."""
        self.data = data
        if not data.isascii() or b"\r" in data:
            return False
        match = DECLARATION.match(data)
        behind = 0 if match is None else match.end()
        self.place = <const char*> data + <Py_ssize_t> behind
        self.end = <const char*> data + len(data)
        self.line = 1 + data.count(b"\n", 0, behind)
        self.line_start = <const char*> data + <Py_ssize_t> (data.rfind(b"\n", 0, behind) + 1)
        return True

    cdef Found advance(self, bint keeps) except *:
        """Find the next event; ``keeps``: text of white space alone is significant, and text is delivered
        whole.
        """
        cdef const char* p = self.place
        while True:
            if p[0] != c"<":
                if p == self.end:
                    self.place = p
                    return FINISHED if self.rooted and self.depth == 0 else STRANGE
                if self.depth and (keeps or not kind(p) & SPACE):
                    return self.text(p, keeps)
                if not kind(p) & SPACE:
                    return STRANGE
                p = self.place = self.spaces(p)
                continue
            self.begin, self.begin_line, self.begin_line_start = p, self.line, self.line_start
            if p[1] == c"/":
                return self.end_tag(p + 2)
            if p[1] != c"!":
                return self.start_tag(p + 1)
            p = self.comment(p)
            if p == NULL:
                return STRANGE
            self.place = p

    cdef const char* spaces(self, const char* p) noexcept:
        """Skip white space."""
        while kind(p) & SPACE:
            if p[0] == c"\n":
                self.line += 1
                self.line_start = p + 1
            p += 1
        return p

    cdef const char* comment(self, const char* p) noexcept:
        """Skip a comment; NULL if it is none, or not valid."""
        if p[2] != c"-" or p[3] != c"-":
            return NULL
        p += 4
        while p[0] != c"-" or p[1] != c"-":
            if p[0] == c"\n":
                self.line += 1
                self.line_start = p + 1
            elif not kind(p) and p[0] not in (c"<", c"&", c"]"):
                return NULL
            p += 1
        return p + 3 if p[2] == c">" else NULL

    cdef Found text(self, const char* p, bint keeps) noexcept:
        """Text up to the next tag or, if it is not kept, to the end of the line."""
        self.begin, self.begin_line, self.begin_line_start = p, self.line, self.line_start
        self.tag = p
        while p[0] != c"<":
            if p[0] == c"\n":
                if not keeps:
                    break
                self.line += 1
                self.line_start = p + 1
            elif not kind(p) & (CONTENT | SPACE):
                if p[0] != c"]" or p[1] == c"]":
                    return STRANGE
            p += 1
        self.length = p - self.tag
        self.place = p
        return TEXT

    cdef Found end_tag(self, const char* p) noexcept:
        cdef Opened* opened
        if self.depth == 0:
            return STRANGE
        opened = &self.opened[self.depth - 1]
        if self.end - p <= opened.length or memcmp(p, opened.tag, opened.length) != 0:
            return STRANGE
        p = self.spaces(p + opened.length)
        if p[0] != c">":
            return STRANGE
        self.place = p + 1
        self.depth -= 1
        self.tags += 1
        return END

    cdef Found start_tag(self, const char* p) except *:
        cdef const char* after = name_end(p)
        cdef const char* next
        if after == p or (self.rooted and self.depth == 0):
            return STRANGE
        self.tag, self.length, self.count = p, after - p, 0
        cdef bint spaced = False
        while True:
            p = self.spaces(after)
            if p[0] == c">" or p[0] == c"/":
                break
            if p == after:
                return STRANGE
            if self.count == PLAIN_ATTRIBUTES or self.count == self.most_attributes:
                return self.crowd(p)
            after = self.attribute(p)
            if after == NULL:
                return STRANGE
            spaced |= self.attributes[self.count - 1].spaced
        self.empty = p[0] == c"/"
        if self.empty:
            p += 1
            if p[0] != c">":
                return STRANGE
        if self.repeats():
            return STRANGE
        if spaced:
            self.normalise()
        if not self.empty:
            if self.depth == self.deep:
                self.deep = 2 * self.deep + 64
                grown = <Opened*> realloc(self.opened, self.deep * sizeof(Opened))
                if grown == NULL:
                    raise MemoryError
                self.opened = grown
            self.opened[self.depth].tag, self.opened[self.depth].length = self.tag, self.length
            self.depth += 1
        self.rooted = True
        self.place = p + 1
        self.tags += 1 + self.empty
        return START

    cdef Found crowd(self, const char* p) except *:
        """Count the remaining attributes: an element with too many is rejected before expat builds a table of
        them.
        """
        cdef const char* after = p
        cdef int counted = self.count
        while counted <= self.most_attributes:
            after = self.attribute(p)
            if after == NULL:
                return STRANGE
            p = self.spaces(after)
            if p == after:
                return STRANGE
            counted += 1
            self.count -= 1  # reuse its slot
        return CROWDED

    cdef const char* attribute(self, const char* p) except? NULL:
        """Read an attribute; returns its end, or NULL if there is none."""
        cdef const char* after = name_end(p)
        cdef char quote
        if after == p:
            return NULL
        cdef Written* written = self.more()
        written.name, written.name_length, written.spaced = p, <int> (after - p), False
        p = self.spaces(after)
        if p[0] != c"=":
            return NULL
        p = self.spaces(p + 1)
        quote = p[0]
        if quote != c'"' and quote != c"'":
            return NULL
        p += 1
        written.text = p
        while p[0] != quote:
            if not kind(p) & VALUE:
                if p[0] == c"\n":
                    self.line += 1
                    self.line_start = p + 1
                elif p[0] != c"\t" and p[0] != c'"' and p[0] != c"'":
                    return NULL
                written.spaced |= p[0] < 32
            p += 1
        written.length = p - written.text
        return p + 1

    cdef Written* more(self) except NULL:
        """Space for one more attribute."""
        if self.count == self.slots:
            self.slots = 2 * self.slots + 16
            grown = <Written*> realloc(self.attributes, self.slots * sizeof(Written))
            if grown == NULL:
                raise MemoryError
            self.attributes = grown
        self.count += 1
        return &self.attributes[self.count - 1]

    cdef bint repeats(self) noexcept:
        """Whether an attribute occurs twice."""
        cdef unsigned long long seen = 0, one
        cdef Written* written
        cdef Written* other
        cdef int index, before
        for index in range(self.count):
            written = &self.attributes[index]
            one = <unsigned long long> 1 << (
                (written.name[0] * 7 + written.name[written.name_length - 1] + written.name_length * 13) & 63)
            if seen & one:  # also true for different names of the same length and ends
                for before in range(index):
                    other = &self.attributes[before]
                    if other.name_length == written.name_length and (
                            memcmp(other.name, written.name, written.name_length) == 0):
                        return True
            seen |= one
        return False

    cdef int normalise(self) except -1:
        """Replace white space in attributes by spaces, as XML requires."""
        cdef Py_ssize_t needed = 0, place
        cdef int index
        cdef Written* written
        cdef char* p
        for index in range(self.count):
            needed += self.attributes[index].length if self.attributes[index].spaced else 0
        if needed > self.spare_size:
            p = <char*> realloc(self.spare, needed)
            if p == NULL:
                raise MemoryError
            self.spare, self.spare_size = p, needed
        p = self.spare
        for index in range(self.count):
            written = &self.attributes[index]
            if written.spaced:
                for place in range(written.length):
                    p[place] = c" " if kind(written.text + place) & SPACE else written.text[place]
                written.text = p
                p += written.length
        return 0

    cdef int take(self, const char** attributes) except -1:
        """Copy the attributes that expat found."""
        cdef Written* written
        self.count = 0
        while attributes[0] != NULL:
            written = self.more()
            written.name, written.name_length = attributes[0], <int> strlen(attributes[0])
            written.text, written.length = attributes[1], strlen(attributes[1])
            attributes += 2
        return 0


cdef bint is_declaration(Written* written) noexcept:
    """Whether an attribute declares a prefix."""
    return written.name_length >= 6 and written.name[0] == c"x" and strncmp(written.name, b"xmlns:", 6) == 0


cdef str name_of(Written* written):
    return written.name[: written.name_length].decode()


cdef str text_of(Written* written):
    return written.text[: written.length].decode("utf-8", "replace")


def begun(bytes data):
    """Number of ``<`` in a text that are not followed by ``/``, an upper bound for the number of elements."""
    cdef const char* p = data
    cdef Py_ssize_t size = len(data), place = 0, end, i, found = 0
    cdef unsigned char some  # over 255 characters, so that the loop is vectorised
    while place < size:
        end = min(place + 255, size)
        some = 0
        for i in range(place, end):
            some += (p[i] == b"<") & (p[i + 1] != b"/")  # a zero byte follows the text
        found += some
        place = end
    return found


def prolog_end(bytes data, Py_ssize_t most):
    """The offset after white space, comments and processing instructions: that of a document type or the root. The
    search ends after ``most`` bytes.
    """
    cdef const char* p = data
    cdef Py_ssize_t place = 0, found
    cdef bint note
    while place <= most:
        while p[place] in (c" ", c"\t", c"\r", c"\n"):  # a zero byte follows the text
            place += 1
        note = strncmp(p + place, b"<!--", 4) == 0
        if not note and strncmp(p + place, b"<?", 2) != 0:
            return place
        found = data.find(b"-->" if note else b"?>", place + (4 if note else 2))
        if found < 0:
            return place
        place = found + (3 if note else 2)
    return place


def tags_in(bytes data, Py_ssize_t begin, Py_ssize_t end):
    """Numbers of occurrences of the tags, and of other words after ``<``, in a part of a text."""
    cdef const char* text = data
    cdef const char* p = text + max(begin, 0)
    cdef const char* stop = text + min(end, len(data))
    cdef const char* after
    cdef dict found = {}
    while p < stop:
        p = <const char*> memchr(p, c"<", stop - p)
        if p == NULL:
            break
        p += 1
        after = p
        while after < stop and not ends_tag(after[0]):
            after += 1
        if after > p:
            tag = p[: after - p].decode("utf-8", "replace")
            found[tag] = found.get(tag, 0) + 1
        p = after
    return found


cdef inline bint ends_tag(char letter) noexcept:
    """Whether a character cannot be part of any tag: white space and characters with a meaning in markup."""
    return letter in (
        c" ", c"\t", c"\n", c"\r", c"\f", c"\v", c"<", c">", c"/", c"=", c'"', c"'", c"&", c"!", c"?")


def events(bytes data, bint keeps=True):
    """The events of a scan of a text, and whether it reaches the end.

    An event has a line, a column from 0, and (tag, attributes), the tag of an end tag, or a text as bytes.
    """
    cdef Scan scan = Scan()
    cdef Found found
    cdef int index
    cdef Written* written
    met = []
    if not scan.begin_at(data):
        return met, False
    while True:
        found = scan.advance(keeps)
        if found == FINISHED or found == STRANGE:
            return met, found == FINISHED
        place = scan.begin_line, scan.begin - scan.begin_line_start
        what = scan.tag[: scan.length]
        if found == TEXT:
            met.append((*place, what))
        elif found == END:
            met.append((*place, scan.opened[scan.depth].tag[: scan.opened[scan.depth].length].decode()))
        else:
            attributes = {}
            for index in range(scan.count):
                written = &scan.attributes[index]
                attributes[written.name[: written.name_length].decode()] = written.text[: written.length].decode()
            met.append((*place, (what.decode(), attributes)))
            if scan.empty:
                met.append((scan.line, scan.place - scan.line_start, what.decode()))
