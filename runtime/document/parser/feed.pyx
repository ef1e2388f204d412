# cython: language_level=3, boundscheck=False, wraparound=False
"""Delivers a text tag by tag: plain XML by our own scanner, and from the first unsupported construct on by
expat.

Subclasses interpret the tags; this module reports malformed text.
"""

from cpython.exc cimport PyErr_CheckSignals
from libc.string cimport strlen

import re

from polybody.document.parser import messages
from polybody.document.sources import skipped_document_type

from polybody.document.parser.expat cimport Expat, open_expat
from polybody.document.parser.scan cimport CROWDED, END, FINISHED, START, TEXT, Found

cdef enum:
    CHUNK = 16 << 20  # at least twice the longest tag, which expat scans again with each chunk
    FIRST_CHUNK = 1 << 16  # if it contains a document type, nothing after it is read
    PATIENCE = 1 << 12  # number of tags and texts between checks for signals

cdef const Expat* expat = open_expat()


cdef class Feed(Tree):
    """Delivers the tags of one source in order, until it ends or the subclass sets `stopped`.

    Attributes:
        malformed: the text is not well-formed XML.
        given_up: a limit was exceeded, or there is a document type.
    """

    # --- callbacks ----------------------------------------------------------------------------------------

    cdef int start(self, const char* tag, Py_ssize_t length) except -1:
        """A start tag; its attributes are in the scan."""
        raise NotImplementedError

    cdef int end(self) except -1:
        """An end tag, or the end of an empty element."""
        raise NotImplementedError

    cdef int characters(self, const char* text, Py_ssize_t length) except -1:
        """A piece of text."""
        raise NotImplementedError

    cdef bint keeps_text(self) noexcept:
        """Whether text of white space alone is significant at the current position."""
        return True

    # --- delivery -----------------------------------------------------------------------------------------

    cdef void feed(self) except *:
        """Deliver the text, by the scanner as long as it is plain XML, then by expat."""
        cdef Found found
        cdef bint keeps
        cdef Py_ssize_t again = 0, turns = 0
        self.scan.most_attributes = self.most_attributes
        if self.scan.begin_at(self.source.data):
            while not self.stopped:
                turns += 1
                if turns % PATIENCE == 0:
                    PyErr_CheckSignals()
                keeps = self.keeps_text()
                found = self.scan.advance(keeps)
                if found == START:
                    self.start(self.scan.tag, self.scan.length)
                    if self.scan.empty and not self.stopped:
                        self.scan.begin = self.scan.place
                        self.end()
                elif found == END:
                    self.end()
                elif found == TEXT:
                    self.characters(self.scan.tag, self.scan.length)
                    again += self.scan.length if keeps else 0  # stray text is reported only once
                                                               # not be skipped again
                    continue
                elif found == FINISHED:
                    return
                elif found == CROWDED:
                    self.refuse_attributes()
                else:
                    self.behind, self.again = self.scan.tags, again
                    break
                again = 0
        if not self.stopped:
            self.feed_expat()

    cdef void feed_expat(self) except *:
        from polybody.document.parser.malformed import AMPERSAND, tolerant  # few files need it

        read = tolerant(self.source, self.findings)
        cdef bytes data = self.without_document_type(read.data)
        self.added = read.added
        self.restores = AMPERSAND in data and AMPERSAND not in self.source.data
        cdef const char* text = data
        cdef Py_ssize_t done = 0, size = len(data)
        cdef int chunk
        # The source's text has been converted to UTF-8, whatever its declaration says.
        self.parser = expat.ParserCreate_MM("utf-8", NULL, NULL)
        if self.parser == NULL:
            raise MemoryError
        try:
            expat.SetUserData(self.parser, <void*> self)
            expat.SetElementHandler(self.parser, start_element, end_element)
            expat.SetCharacterDataHandler(self.parser, character_data)
            expat.SetStartDoctypeDeclHandler(self.parser, start_doctype)
            while not self.stopped:
                PyErr_CheckSignals()
                chunk = <int> min(<Py_ssize_t> (CHUNK if done else FIRST_CHUNK), size - done)
                if expat.Parse(self.parser, text + done, chunk, done + chunk == size) != 1:
                    if not self.stopped:
                        self.report_malformed()
                    return
                done += chunk
                if done == size:
                    return
        finally:
            expat.ParserFree(self.parser)
            self.parser = NULL

    cdef bytes without_document_type(self, bytes data):
        """The text with spaces in the place of a document type, if the format lets it be skipped."""
        span = skipped_document_type(data)
        if span is None or self.table is None or not self.table.format.skips_document_type:
            return data  # expat reports it
        begin, end = span
        messages.skipped_document_type(self.findings, self.source, begin, end)
        return data[:begin] + re.sub(b"[^\r\n]", b" ", data[begin:end]) + data[end:]

    cdef void report_malformed(self) except *:
        from polybody.document.parser.end_tags import leaf_tags
        from polybody.document.parser.malformed import ends_before, explain

        cdef int code = expat.GetErrorCode(self.parser)
        if self.depth == 0 and self.root is not None and ends_before(self.source, self.findings, self.position()):
            return
        self.malformed = True
        reason = expat.ErrorString(code).decode()
        where, tags = self.position(), self.open_tags()
        leaves = frozenset() if self.table is None else leaf_tags(self.table.format, self.table.folds)
        explain(self.source, self.findings, code, reason, where, tags, leaves)

    cdef void restore(self) except *:
        """Put each bare `&` back into the attributes of a tag."""
        from polybody.document.parser.malformed import AMPERSAND

        cdef int index
        cdef bytes text
        self.kept = []
        for index in range(self.scan.count):
            text = self.scan.attributes[index].text[: self.scan.attributes[index].length]
            if AMPERSAND in text:
                text = text.replace(AMPERSAND, b"&")
                self.kept.append(text)
                self.scan.attributes[index].text = text

    cdef object tag_span(self):
        """The position of the last tag."""
        return self.source.tag_span(self.position())

    cdef void refuse_attributes(self) except *:
        self.give_up(f"an element with more than {self.most_attributes:,} attributes")

    cdef void give_up(self, str what) except *:
        self.stopped = self.given_up = True
        messages.limit(self.findings, self.tag_span(), self.source, what)


# Callbacks of expat. Exceptions must not propagate through expat; they are raised after it has returned.

cdef void start_element(void* user, const char* tag, const char** attributes) noexcept:
    feed = <Feed> user
    if feed.behind:
        feed.behind -= 1
    elif not feed.stopped:
        try:
            feed.scan.take(attributes)
            if feed.restores:
                feed.restore()
            if feed.scan.count > feed.most_attributes:
                feed.refuse_attributes()
            else:
                feed.start(tag, strlen(tag))
        except BaseException as error:
            feed.stopped, feed.failure = True, error


cdef void end_element(void* user, const char* tag) noexcept:
    feed = <Feed> user
    if feed.behind:
        feed.behind -= 1
    elif not feed.stopped:
        try:
            feed.end()
        except BaseException as error:
            feed.stopped, feed.failure = True, error


cdef void character_data(void* user, const char* text, int length) noexcept:
    feed = <Feed> user
    cdef int met
    if not feed.stopped and not feed.behind:
        met = <int> min(feed.again, <Py_ssize_t> length)
        feed.again -= met
        try:
            if feed.restores:
                from polybody.document.parser.malformed import AMPERSAND

                feed.kept = [text[met:length].replace(AMPERSAND, b"&")]
                feed.characters(<const char*> <bytes> feed.kept[0], length - met)
            else:
                feed.characters(text + met, length - met)
        except BaseException as error:
            feed.stopped, feed.failure = True, error


cdef void start_doctype(
        void* user, const char* name, const char* system, const char* public, int has_subset) noexcept:
    feed = <Feed> user
    if not feed.stopped:
        try:
            feed.stopped = feed.given_up = True
            messages.document_type(feed.findings, feed.source, feed.position())
        except BaseException as error:
            feed.failure = error
