# embed_files(phaze_models models FILES ../../data/models/llama2-7b.yaml ...)
# Puts the files, named one by one, into the target as a table, in the order given:
#   #include "embedded/models.h"
#   for (const phaze::embedded::File& file : phaze::embedded::models()) { file.name, file.contents }
# A name is the file's without folder and last extension. Contents may be any bytes.

if(CMAKE_SCRIPT_MODE_FILE)  # cmake -P embed.cmake OUTPUT SYMBOL FILE...: writes the table
  set(output ${CMAKE_ARGV3})
  set(symbol ${CMAKE_ARGV4})
  set(entries "")
  math(EXPR last "${CMAKE_ARGC} - 1")
  foreach(at RANGE 5 ${last})
    set(file "${CMAKE_ARGV${at}}")
    cmake_path(GET file STEM LAST_ONLY name)
    file(SIZE "${file}" size)
    file(READ "${file}" bytes HEX)
    string(REGEX REPLACE "(..)" "\\\\x\\1" bytes "${bytes}")
    string(APPEND entries "    {\"${name}\", {\"${bytes}\", ${size}}},\n")
  endforeach()
  file(WRITE "${output}" "#include \"embedded/${symbol}.h\"

#pragma GCC diagnostic ignored \"-Woverlength-strings\"

namespace phaze::embedded {
namespace {

constexpr File kFiles[] = {
${entries}};

}  // namespace

std::span<const File> ${symbol}() { return kFiles; }

}  // namespace phaze::embedded
")
  return()
endif()

set(PHAZE_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_FILE})

function(embed_files target symbol)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "FILES")
  set(files "")
  set(names "")
  foreach(file IN LISTS arg_FILES)
    cmake_path(ABSOLUTE_PATH file NORMALIZE)
    cmake_path(GET file STEM LAST_ONLY name)
    if(name IN_LIST names)
      message(FATAL_ERROR "embed_files(${target} ${symbol}): two files are named ${name}")
    endif()
    list(APPEND names "${name}")
    list(APPEND files "${file}")
  endforeach()
  if(NOT files OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "embed_files(${target} ${symbol} FILES ...): expected files")
  endif()
  set(folder ${PROJECT_BINARY_DIR}/generated/embedded)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/embedded_file.h.in ${folder}/file.h @ONLY)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/embedded_table.h.in ${folder}/${symbol}.h @ONLY)
  add_custom_command(
    OUTPUT ${folder}/${symbol}.cpp
    COMMAND ${CMAKE_COMMAND} -P ${PHAZE_EMBED_SCRIPT} ${folder}/${symbol}.cpp ${symbol} ${files}
    DEPENDS ${files} ${PHAZE_EMBED_SCRIPT}
    COMMENT "Embedding ${symbol}"
    VERBATIM)
  target_sources(${target} PRIVATE ${folder}/${symbol}.cpp)
endfunction()
