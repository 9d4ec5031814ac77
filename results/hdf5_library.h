/* HDF5, loaded when a file of it is opened: with all that it brings it would take 3 ms of every
 * start of the command. Functions and identifiers keep their names. */
#pragma once

#include <hdf5.h>
#include <hdf5_hl.h>

#define HDF5_NAMES(X)                                                                              \
    X(H5open)                                                                                      \
    X(H5Aclose)                                                                                    \
    X(H5Acreate2)                                                                                  \
    X(H5Aexists)                                                                                   \
    X(H5Aget_space)                                                                                \
    X(H5Aget_type)                                                                                 \
    X(H5Aopen)                                                                                     \
    X(H5Aread)                                                                                     \
    X(H5Awrite)                                                                                    \
    X(H5DSattach_scale)                                                                            \
    X(H5DSset_scale)                                                                               \
    X(H5Dclose)                                                                                    \
    X(H5Dcreate2)                                                                                  \
    X(H5Dget_space)                                                                                \
    X(H5Dopen2)                                                                                    \
    X(H5Dread)                                                                                     \
    X(H5Dset_extent)                                                                               \
    X(H5Dvlen_reclaim)                                                                             \
    X(H5Dwrite)                                                                                    \
    X(H5Eset_auto2)                                                                                \
    X(H5Fclose)                                                                                    \
    X(H5Fcreate)                                                                                   \
    X(H5Fflush)                                                                                    \
    X(H5Fis_hdf5)                                                                                  \
    X(H5Fopen)                                                                                     \
    X(H5Fstart_swmr_write)                                                                         \
    X(H5Lexists)                                                                                   \
    X(H5Pclose)                                                                                    \
    X(H5Pcreate)                                                                                   \
    X(H5Pset)                                                                                      \
    X(H5Pset_chunk)                                                                                \
    X(H5Pset_create_intermediate_group)                                                            \
    X(H5Pset_libver_bounds)                                                                        \
    X(H5Sclose)                                                                                    \
    X(H5Screate)                                                                                   \
    X(H5Screate_simple)                                                                            \
    X(H5Sget_simple_extent_dims)                                                                   \
    X(H5Sget_simple_extent_ndims)                                                                  \
    X(H5Sget_simple_extent_npoints)                                                                \
    X(H5Sselect_hyperslab)                                                                         \
    X(H5Tclose)                                                                                    \
    X(H5Tcopy)                                                                                     \
    X(H5Tget_class)                                                                                \
    X(H5Tget_size)                                                                                 \
    X(H5Tis_variable_str)                                                                          \
    X(H5Tset_cset)                                                                                 \
    X(H5Tset_size)                                                                                 \
    X(H5P_CLS_DATASET_CREATE_ID_g)                                                                 \
    X(H5P_CLS_FILE_ACCESS_ID_g)                                                                    \
    X(H5P_CLS_LINK_CREATE_ID_g)                                                                    \
    X(H5T_C_S1_g)                                                                                  \
    X(H5T_NATIVE_DOUBLE_g)                                                                         \
    X(H5T_NATIVE_LONG_g)

typedef struct hdf5_library {
#define HDF5_MEMBER(name) __typeof__(&(name)) at_##name;
    HDF5_NAMES(HDF5_MEMBER)
#undef HDF5_MEMBER
} hdf5_library;

/* Loads it at the first call; ends the program with a message where that fails. */
const hdf5_library *hdf5(void);

#undef H5OPEN
#undef H5CHECK
#define H5OPEN
#define H5CHECK
#define H5Aclose                         (*hdf5()->at_H5Aclose)
#define H5Acreate2                       (*hdf5()->at_H5Acreate2)
#define H5Aexists                        (*hdf5()->at_H5Aexists)
#define H5Aget_space                     (*hdf5()->at_H5Aget_space)
#define H5Aget_type                      (*hdf5()->at_H5Aget_type)
#define H5Aopen                          (*hdf5()->at_H5Aopen)
#define H5Aread                          (*hdf5()->at_H5Aread)
#define H5Awrite                         (*hdf5()->at_H5Awrite)
#define H5DSattach_scale                 (*hdf5()->at_H5DSattach_scale)
#define H5DSset_scale                    (*hdf5()->at_H5DSset_scale)
#define H5Dclose                         (*hdf5()->at_H5Dclose)
#define H5Dcreate2                       (*hdf5()->at_H5Dcreate2)
#define H5Dget_space                     (*hdf5()->at_H5Dget_space)
#define H5Dopen2                         (*hdf5()->at_H5Dopen2)
#define H5Dread                          (*hdf5()->at_H5Dread)
#define H5Dset_extent                    (*hdf5()->at_H5Dset_extent)
#define H5Dvlen_reclaim                  (*hdf5()->at_H5Dvlen_reclaim)
#define H5Dwrite                         (*hdf5()->at_H5Dwrite)
#define H5Eset_auto2                     (*hdf5()->at_H5Eset_auto2)
#define H5Fclose                         (*hdf5()->at_H5Fclose)
#define H5Fcreate                        (*hdf5()->at_H5Fcreate)
#define H5Fflush                         (*hdf5()->at_H5Fflush)
#define H5Fis_hdf5                       (*hdf5()->at_H5Fis_hdf5)
#define H5Fopen                          (*hdf5()->at_H5Fopen)
#define H5Fstart_swmr_write              (*hdf5()->at_H5Fstart_swmr_write)
#define H5Lexists                        (*hdf5()->at_H5Lexists)
#define H5Pclose                         (*hdf5()->at_H5Pclose)
#define H5Pcreate                        (*hdf5()->at_H5Pcreate)
#define H5Pset                           (*hdf5()->at_H5Pset)
#define H5Pset_chunk                     (*hdf5()->at_H5Pset_chunk)
#define H5Pset_create_intermediate_group (*hdf5()->at_H5Pset_create_intermediate_group)
#define H5Pset_libver_bounds             (*hdf5()->at_H5Pset_libver_bounds)
#define H5Sclose                         (*hdf5()->at_H5Sclose)
#define H5Screate                        (*hdf5()->at_H5Screate)
#define H5Screate_simple                 (*hdf5()->at_H5Screate_simple)
#define H5Sget_simple_extent_dims        (*hdf5()->at_H5Sget_simple_extent_dims)
#define H5Sget_simple_extent_ndims       (*hdf5()->at_H5Sget_simple_extent_ndims)
#define H5Sget_simple_extent_npoints     (*hdf5()->at_H5Sget_simple_extent_npoints)
#define H5Sselect_hyperslab              (*hdf5()->at_H5Sselect_hyperslab)
#define H5Tclose                         (*hdf5()->at_H5Tclose)
#define H5Tcopy                          (*hdf5()->at_H5Tcopy)
#define H5Tget_class                     (*hdf5()->at_H5Tget_class)
#define H5Tget_size                      (*hdf5()->at_H5Tget_size)
#define H5Tis_variable_str               (*hdf5()->at_H5Tis_variable_str)
#define H5Tset_cset                      (*hdf5()->at_H5Tset_cset)
#define H5Tset_size                      (*hdf5()->at_H5Tset_size)
#define H5P_CLS_DATASET_CREATE_ID_g      (*hdf5()->at_H5P_CLS_DATASET_CREATE_ID_g)
#define H5P_CLS_FILE_ACCESS_ID_g         (*hdf5()->at_H5P_CLS_FILE_ACCESS_ID_g)
#define H5P_CLS_LINK_CREATE_ID_g         (*hdf5()->at_H5P_CLS_LINK_CREATE_ID_g)
#define H5T_C_S1_g                       (*hdf5()->at_H5T_C_S1_g)
#define H5T_NATIVE_DOUBLE_g              (*hdf5()->at_H5T_NATIVE_DOUBLE_g)
#define H5T_NATIVE_LONG_g                (*hdf5()->at_H5T_NATIVE_LONG_g)
