# phaze_flags: the compile and link flags of every target of the project.
option(PHAZE_WERROR "Treat warnings as errors" OFF)
option(PHAZE_COVERAGE "Count the lines that run" OFF)
option(PHAZE_FUZZ "Build the fuzzers with libFuzzer (clang)" OFF)
set(PHAZE_SANITIZE "" CACHE STRING "Sanitizers, as in -fsanitize=")

add_library(phaze_flags INTERFACE)
target_compile_features(phaze_flags INTERFACE cxx_std_20)
set(CMAKE_CXX_EXTENSIONS OFF)

target_compile_options(phaze_flags INTERFACE
  # Same input, same output, to the byte, on every machine.
  -ffp-contract=off
  # The places that CHECK names are paths in the project, wherever it was built.
  -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wold-style-cast -Wnon-virtual-dtor
  -Woverloaded-virtual -Wdouble-promotion
  $<$<CXX_COMPILER_ID:GNU>:-Wduplicated-cond>
  # g++ 12 sees overlapping copies in every "text" + std::string (GCC bug 105651).
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>
  $<$<BOOL:${PHAZE_WERROR}>:-Werror>
)
target_compile_definitions(phaze_flags INTERFACE $<$<CONFIG:Debug>:_GLIBCXX_ASSERTIONS>)

if(PHAZE_SANITIZE)
  set(sanitize -fsanitize=${PHAZE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_compile_options(phaze_flags INTERFACE ${sanitize})
  target_link_options(phaze_flags INTERFACE ${sanitize})
endif()
if(PHAZE_FUZZ)
  target_compile_options(phaze_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(PHAZE_COVERAGE)
  target_compile_options(phaze_flags INTERFACE --coverage -fprofile-update=atomic)
  target_link_options(phaze_flags INTERFACE --coverage)
endif()
