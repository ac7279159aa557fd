# Fails unless `page` is what `tool` --markdown prints.

execute_process(COMMAND ${tool} --markdown OUTPUT_VARIABLE printed COMMAND_ERROR_IS_FATAL ANY)
file(READ ${page} committed)
if(NOT printed STREQUAL committed)
    message(FATAL_ERROR "${page} does not match the table of settings; renew it:\n  ${tool} --markdown > ${page}")
endif()
