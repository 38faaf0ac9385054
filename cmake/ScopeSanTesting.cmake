# How a folder adds its tests.
#
#   scopesan_add_ctest(NAME LABELS ci COMMAND program args... [TIMEOUT seconds]
#                      [WORKING_DIRECTORY dir] [ENVIRONMENT A=b ...] [DEPENDS fixture-test ...])
#     One ctest test. LABELS: `ci` (run on every change, the default) and/or `full` (only too slow
#     for that); further labels are welcome. Without TIMEOUT a test may take two minutes.
#   scopesan_add_gtest(NAME SOURCES ... [LIBRARIES ...] [LABELS ...] [LLVM])
#     A GoogleTest program; each of its tests is one ctest test, labelled `unit` as well.
#     LLVM: the sources include LLVM headers.
#
# The target scopesan_unit_tests builds all GoogleTest programs and nothing else: sanitizer and
# coverage builds use it, since an instrumented plugin or preloaded library would not load.
include(GoogleTest)
add_custom_target(scopesan_unit_tests)
set(SCOPESAN_TEST_TIMEOUT 120)

function(scopesan_add_ctest name)
  cmake_parse_arguments(ARG "" "TIMEOUT;WORKING_DIRECTORY" "COMMAND;LABELS;ENVIRONMENT;DEPENDS" ${ARGN})
  if(NOT ARG_COMMAND)
    message(FATAL_ERROR "scopesan_add_ctest(${name}): COMMAND is missing")
  endif()
  if(NOT ARG_LABELS)
    set(ARG_LABELS ci)
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT ${SCOPESAN_TEST_TIMEOUT})
  endif()
  if(NOT ARG_WORKING_DIRECTORY)
    set(ARG_WORKING_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}")
  endif()
  add_test(NAME ${name} COMMAND ${ARG_COMMAND} WORKING_DIRECTORY "${ARG_WORKING_DIRECTORY}")
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT}
    ENVIRONMENT "${ARG_ENVIRONMENT}" DEPENDS "${ARG_DEPENDS}")
endfunction()

function(scopesan_add_gtest name)
  cmake_parse_arguments(ARG "LLVM" "TIMEOUT" "SOURCES;LIBRARIES;LABELS" ${ARGN})
  find_package(GTest REQUIRED)
  if(NOT ARG_LABELS)
    set(ARG_LABELS ci)
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT ${SCOPESAN_TEST_TIMEOUT})
  endif()
  list(APPEND ARG_LABELS unit)
  add_executable(${name} ${ARG_SOURCES})
  if(ARG_LLVM)
    scopesan_llvm_target(${name})
  else()
    scopesan_target(${name})
  endif()
  target_link_libraries(${name} PRIVATE ${ARG_LIBRARIES} GTest::gtest GTest::gtest_main)
  add_dependencies(scopesan_unit_tests ${name})
  # PRE_TEST: the list is made when ctest runs, so building never executes a test program.
  gtest_discover_tests(${name} TEST_PREFIX "${name}." DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
    PROPERTIES TIMEOUT ${ARG_TIMEOUT})
  # gtest_discover_tests flattens lists, so the labels are set by a script that ctest reads after
  # the one with the tests.
  set(script "${CMAKE_CURRENT_BINARY_DIR}/${name}_labels.cmake")
  file(CONFIGURE OUTPUT "${script}" @ONLY CONTENT [[
foreach(test IN LISTS @name@_TESTS)
  set_tests_properties("${test}" PROPERTIES LABELS "@ARG_LABELS@")
endforeach()
]])
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${script}")
endfunction()
