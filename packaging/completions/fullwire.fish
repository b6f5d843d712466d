complete --keep-order --exclusive --command fullwire --arguments "(FULLWIRE_COMPLETE=fish fullwire -- (commandline --current-process --tokenize --cut-at-cursor) (commandline --current-token))"
