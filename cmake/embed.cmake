# Text files as C strings: cmake -DOUT=file.c -P embed.cmake NAME=path ...
# Long literals are cut into pieces, which compilers join in an array of bytes.
set(text "/* made from text files by embed.cmake */\n")
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(i RANGE ${last})
  if(CMAKE_ARGV${i} MATCHES "^([a-z_]+)=(.*)$")
    file(READ "${CMAKE_MATCH_2}" hex HEX)
    set(name ${CMAKE_MATCH_1})
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
    string(APPEND text "extern const char ${name}[];\nconst char ${name}[] = {${bytes}0};\n")
  endif()
endforeach()
file(WRITE "${OUT}" "${text}")
