# SuiteSparse: those of its libraries that call no BLAS are linked. UMFPACK and MUMPS are loaded by the
# program that needs them; here only their headers.
find_path(SUITESPARSE_INCLUDE suitesparse/klu.h REQUIRED)
set(SUITESPARSE_LIBRARIES)
foreach(name klu btf colamd amd suitesparseconfig)
  find_library(SUITESPARSE_${name} ${name} REQUIRED)
  list(APPEND SUITESPARSE_LIBRARIES ${SUITESPARSE_${name}})
endforeach()
find_path(MUMPS_INCLUDE dmumps_c.h REQUIRED)
list(APPEND SUITESPARSE_LIBRARIES ${CMAKE_DL_LIBS})
