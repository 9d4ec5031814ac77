# bash completion of sodae: commands, flags, options, methods, problems, files.
_sodae_names() { sodae list "$1" | awk '/^[a-z]/ {print $1}'; }
_sodae_flags() {
    local help
    help=$(sodae "$1" --help)
    awk '/^  --[a-z]/ {print $1}' <<< "$help"
    if [[ $help == *--OPTION* ]]; then _sodae_names options | sed 's/_/-/g; s/^/--/'; fi
}
_sodae() {
    local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} words=
    case ${COMP_WORDS[COMP_CWORD - 1]} in
    --method | --methods) words=$(_sodae_names methods) ;;
    --formulation | --formulations) words=$(_sodae_names formulations) ;;
    *)
        if [ "$COMP_CWORD" -eq 1 ]; then
            words="$(sodae --help | awk '/^  [a-z]/ {print $1}') --help --version"
        elif [[ $word == --* ]]; then
            words=$(_sodae_flags "$command")
        elif [[ $command == list ]]; then
            words="problems methods formulations options"
        else
            mapfile -t COMPREPLY < <(compgen -f -- "$word")
            case $command in
            run | check | converge | analyse | sweep | compare) words=$(_sodae_names problems) ;;
            esac
        fi ;;
    esac
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -o filenames -F _sodae sodae
