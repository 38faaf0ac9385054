// A program's own header of the C library's name: cuRAND's headers include it.
#ifndef OWN_MEMORY_H
#define OWN_MEMORY_H
struct Pool {
  element *begin, *end;
};
#endif
