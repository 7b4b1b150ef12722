# add_report_page(page): the page of reports, built from web/ by Node, as a file of the build folder whose name goes to
# the variable. Where Node is missing, or PHAZE_PAGE is OFF, the file is empty: `phaze report` then says what is missing.
option(PHAZE_PAGE "Build the page of reports, where Node and npm are installed" ON)

function(add_report_page page)
  find_program(PHAZE_NODE node)
  find_program(PHAZE_NPM npm)
  mark_as_advanced(PHAZE_NODE PHAZE_NPM)
  if(NOT PHAZE_PAGE OR NOT PHAZE_NODE OR NOT PHAZE_NPM)
    message(STATUS "No Node (Debian: nodejs, npm): reports are left out")
    set(none ${PROJECT_BINARY_DIR}/web/no_report.html)
    file(CONFIGURE OUTPUT ${none} CONTENT "")
    set(${page} ${none} PARENT_SCOPE)
    set(PHAZE_HAS_PAGE OFF PARENT_SCOPE)
    return()
  endif()
  set(built ${PROJECT_BINARY_DIR}/web/report.html)
  set(${page} ${built} PARENT_SCOPE)
  include(${PROJECT_SOURCE_DIR}/web/sources.cmake)
  list(TRANSFORM PHAZE_PAGE_SOURCES PREPEND ${PROJECT_SOURCE_DIR}/web/)
  add_custom_command(
    OUTPUT ${built}
    COMMAND ${PROJECT_SOURCE_DIR}/tools/build_page.sh ${built}
    DEPENDS ${PHAZE_PAGE_SOURCES} ${PROJECT_SOURCE_DIR}/tools/build_page.sh
    COMMENT "Building the report's page"
    VERBATIM)
  set(PHAZE_HAS_PAGE ON PARENT_SCOPE)
endfunction()
