# bash completion of sodae: commands, flags, problems, files.
_sodae() {
    local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]}
    if [ "$COMP_CWORD" -eq 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W "$(sodae --help | awk '/^  [a-z]/ {print $1}') --help --version" -- "$word")
    elif [[ $word == --* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(sodae "$command" --help | awk '/^  --[a-z]/ {print $1}')" -- "$word")
    elif [[ $command == list ]]; then
        mapfile -t COMPREPLY < <(compgen -W "problems methods formulations options" -- "$word")
    else
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        case $command in
        run | check | converge | analyse | sweep | compare)
            mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < \
                <(compgen -W "$(sodae list problems | awk '/^[a-z]/ {print $1}')" -- "$word") ;;
        esac
    fi
}
complete -o filenames -F _sodae sodae
