# Text files that the library has in itself, so that they can be edited as what they are.
#
# lightrun_embed_text(target header constant files [constant files]...): defines each constant, which `header`
# declares as an extern std::string_view, with the texts of its files (a.js,b.js) one after the other. No text may
# hold `)lightrun"`.

if(CMAKE_SCRIPT_MODE_FILE)
  # At build time: -DOUTPUT -DHEADER -DPARTS, which is constant,file,file...|constant,...
  set(source "#include \"${HEADER}\"\n")
  string(REPLACE "|" ";" parts "${PARTS}")
  foreach(part ${parts})
    string(REPLACE "," ";" words "${part}")
    list(POP_FRONT words constant)
    string(APPEND source "\nconst std::string_view ${constant} =")
    foreach(file ${words})
      file(READ ${file} text)
      string(APPEND source "\n    R\"lightrun(${text})lightrun\"")
    endforeach()
    string(APPEND source ";\n")
  endforeach()
  file(WRITE ${OUTPUT} "${source}")
  return()
endif()

set(LIGHTRUN_EMBED_TEXT_SCRIPT ${CMAKE_CURRENT_LIST_FILE})

function(lightrun_embed_text target header)
  set(parts "")
  set(all_files "")
  while(ARGN)
    list(POP_FRONT ARGN constant)
    list(POP_FRONT ARGN files)
    string(REPLACE "," ";" files ${files})
    list(TRANSFORM files PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
    list(APPEND all_files ${files})
    string(REPLACE ";" "," part "${constant};${files}")
    list(APPEND parts ${part})
  endwhile()
  string(REPLACE ";" "|" parts "${parts}")
  get_filename_component(name ${header} NAME_WE)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} "-DOUTPUT=${output}" "-DHEADER=${header}" "-DPARTS=${parts}"
            -P ${LIGHTRUN_EMBED_TEXT_SCRIPT}
    DEPENDS ${all_files} ${LIGHTRUN_EMBED_TEXT_SCRIPT} VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()
