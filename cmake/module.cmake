# The kinds of target that the project has. Files are named one by one, relative to the caller's folder.

# add_module(graph HEADERS op.h SOURCES op.cpp DEPENDS base LIBRARIES fmt::fmt)
# One folder of src/: the static library phaze_<name>. DEPENDS names other modules and is what
# tools/check_layers.py holds the includes to; LIBRARIES names targets from outside.
function(add_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "HEADERS;SOURCES;DEPENDS;LIBRARIES")
  phaze_check_arguments(add_module)
  set(target phaze_${name})
  add_library(${target} STATIC)
  target_sources(${target}
    PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/src FILES ${arg_HEADERS}
    PRIVATE ${arg_SOURCES})
  target_include_directories(${target} PUBLIC ${PROJECT_BINARY_DIR}/generated)
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX VERIFY_INTERFACE_HEADER_SETS ON)
  list(TRANSFORM arg_DEPENDS PREPEND phaze_)
  target_link_libraries(${target} PUBLIC phaze_flags ${arg_DEPENDS} ${arg_LIBRARIES})
  if(CMAKE_CXX_CLANG_TIDY)
    set_property(SOURCE ${arg_SOURCES} PROPERTY OBJECT_DEPENDS ${PROJECT_SOURCE_DIR}/.clang-tidy)
  endif()
  set_property(GLOBAL APPEND PROPERTY PHAZE_MODULES ${name})
endfunction()

# add_program(phaze SOURCES main.cpp DEPENDS cli)
function(add_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPENDS;LIBRARIES")
  phaze_check_arguments(add_program)
  phaze_add_executable(${name})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PHAZE_PROGRAM_DIRECTORY})
  install(TARGETS ${name})
endfunction()

# add_module_test(unit_graph SOURCES unit/graph/op_test.cpp DEPENDS graph [LABEL slow] [TIMEOUT 60])
# A GoogleTest program; each of its tests is a ctest of its own, run from the project's root. It may use RapidCheck
# and headers of tests/ ("support/graphs.h"). With PHAZE_FUZZ there are fuzzers only.
function(add_module_test name)
  if(PHAZE_FUZZ)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "LABEL;TIMEOUT" "SOURCES;DEPENDS;LIBRARIES")
  phaze_check_arguments(add_module_test)
  set(properties TIMEOUT 60)
  if(arg_TIMEOUT)
    set(properties TIMEOUT ${arg_TIMEOUT})
  endif()
  if(arg_LABEL)
    list(APPEND properties LABELS ${arg_LABEL})
  endif()
  phaze_add_executable(${name})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${name} PRIVATE GTest::gtest_main rapidcheck rapidcheck_gtest)
  gtest_discover_tests(${name}
    TEST_PREFIX ${name}.
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    DISCOVERY_TIMEOUT 60
    PROPERTIES ${properties})
endfunction()

# add_fuzzer(config_fuzzer SOURCES fuzz/config_fuzzer.cpp DEPENDS models CORPUS fuzz/corpus/config ../data/models)
# With PHAZE_FUZZ a libFuzzer program that ctest runs for PHAZE_FUZZ_SECONDS; otherwise a program
# that replays the corpus (files and folders), as an ordinary test.
function(add_fuzzer name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPENDS;LIBRARIES;CORPUS")
  phaze_check_arguments(add_fuzzer)
  phaze_add_executable(${name})
  list(TRANSFORM arg_CORPUS PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  if(PHAZE_FUZZ)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    set(found ${PROJECT_BINARY_DIR}/found/${name})  # new inputs go to the first folder
    file(MAKE_DIRECTORY ${found})
    add_test(NAME fuzz.${name}
      COMMAND ${name} -max_total_time=${PHAZE_FUZZ_SECONDS} -timeout=10 -rss_limit_mb=1024 -verbosity=0
              -print_final_stats=1 -artifact_prefix=${PROJECT_BINARY_DIR}/${name}- ${found} ${arg_CORPUS})
    math(EXPR limit "${PHAZE_FUZZ_SECONDS} + 120")
    set_tests_properties(fuzz.${name} PROPERTIES TIMEOUT ${limit})
  else()
    target_sources(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests/fuzz/replay_main.cpp)
    add_test(NAME replay.${name} COMMAND ${name} ${arg_CORPUS})
    set_tests_properties(replay.${name} PROPERTIES TIMEOUT 60)
  endif()
endfunction()

# add_bench(graph_bench SOURCES graph_bench.cpp DEPENDS graph)
# A Google Benchmark program that the target run_bench runs.
function(add_bench name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPENDS;LIBRARIES")
  phaze_check_arguments(add_bench)
  phaze_add_executable(${name})
  target_link_libraries(${name} PRIVATE benchmark::benchmark_main)
  add_custom_target(run_${name} COMMAND ${name} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} USES_TERMINAL)
  add_dependencies(run_bench run_${name})
endfunction()

# What the functions above share; both see the caller's arg_ variables.
macro(phaze_check_arguments caller)
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "${caller}(${name}): unexpected ${arg_UNPARSED_ARGUMENTS}")
  endif()
endmacro()

macro(phaze_add_executable target)
  add_executable(${target} ${arg_SOURCES})
  list(TRANSFORM arg_DEPENDS PREPEND phaze_)
  target_link_libraries(${target} PRIVATE phaze_flags ${arg_DEPENDS} ${arg_LIBRARIES})
endmacro()
