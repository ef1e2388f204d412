"""Access to expat through the capsule that pyexpat exports for other C modules, as used by CPython's
_elementtree.

The capsule's header is not installed with every Python, so its struct is mirrored here. CPython only ever
appends to it; `open_expat` checks the magic word and that the struct is at least as long as this mirror.
"""

from cpython.pycapsule cimport PyCapsule_Import

cdef extern from *:
    """
    typedef struct {
        const char *magic;
        int size;
        int major, minor, micro;
        const char *(*ErrorString)(int);
        int (*GetErrorCode)(void *);
        unsigned long (*GetErrorColumnNumber)(void *);
        unsigned long (*GetErrorLineNumber)(void *);
        int (*Parse)(void *, const char *, int, int);
        void *(*ParserCreate_MM)(const char *, const void *, const char *);
        void (*ParserFree)(void *);
        void (*SetCharacterDataHandler)(void *, void (*)(void *, const char *, int));
        void (*SetCommentHandler)(void *, void *);
        void (*SetDefaultHandlerExpand)(void *, void *);
        void (*SetElementHandler)(void *, void (*)(void *, const char *, const char **),
                                  void (*)(void *, const char *));
        void (*SetNamespaceDeclHandler)(void *, void *, void *);
        void (*SetProcessingInstructionHandler)(void *, void *);
        void (*SetUnknownEncodingHandler)(void *, void *, void *);
        void (*SetUserData)(void *, void *);
        void (*SetStartDoctypeDeclHandler)(
            void *, void (*)(void *, const char *, const char *, const char *, int));
    } polybody_expat;
    #define POLYBODY_EXPAT_SIZE ((int)sizeof(polybody_expat))
    """
    ctypedef struct Expat "polybody_expat":
        const char* magic
        int size
        const char* (*ErrorString)(int)
        int (*GetErrorCode)(void*)
        unsigned long (*GetErrorColumnNumber)(void*)
        unsigned long (*GetErrorLineNumber)(void*)
        int (*Parse)(void*, const char*, int, int)
        void* (*ParserCreate_MM)(const char*, const void*, const char*)
        void (*ParserFree)(void*)
        void (*SetCharacterDataHandler)(void*, void (*)(void*, const char*, int) noexcept)
        void (*SetElementHandler)(void*, void (*)(void*, const char*, const char**) noexcept,
                                  void (*)(void*, const char*) noexcept)
        void (*SetUserData)(void*, void*)
        void (*SetStartDoctypeDeclHandler)(
            void*, void (*)(void*, const char*, const char*, const char*, int) noexcept)
    const int POLYBODY_EXPAT_SIZE


cdef inline const Expat* open_expat() except NULL:
    cdef const Expat* expat = <const Expat*> PyCapsule_Import("pyexpat.expat_CAPI", 0)
    if bytes(expat.magic) != b"pyexpat.expat_CAPI 1.1" or expat.size < POLYBODY_EXPAT_SIZE:
        raise ImportError(f"pyexpat offers {expat.magic!r} of {expat.size} bytes, unknown to this reader")
    return expat
