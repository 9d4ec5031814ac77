# SuiteSparse: those of its libraries that call no BLAS.
find_path(SUITESPARSE_INCLUDE suitesparse/ldl.h REQUIRED)
set(SUITESPARSE_LIBRARIES)
foreach(name ldl amd suitesparseconfig)
  find_library(SUITESPARSE_${name} ${name} REQUIRED)
  list(APPEND SUITESPARSE_LIBRARIES ${SUITESPARSE_${name}})
endforeach()
