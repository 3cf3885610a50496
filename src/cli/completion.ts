import { type Application, proposeCompletions } from '@stricli/core';
import type { CommandIo, Context, RunCommand } from './command.ts';
import { usageError } from './options.ts';
import type * as specs from './specs.ts';

type Target = Application<Context>['root'];

/** Scripts that ask the program itself for proposals. They complete file names where there are none. */
const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `_playbyplay() {
  local IFS=$'\\n' words=("\${COMP_WORDS[@]:1:COMP_CWORD}") last
  # Bash makes words of their own of "=" and what follows it.
  last=\${COMP_WORDS[COMP_CWORD]}
  [[ $last == = ]] && last= && words+=("")
  COMPREPLY=($(compgen -W "$(playbyplay __complete "\${words[@]}" 2>/dev/null | cut -f1)" -- "$last"))
}
complete -o default -o bashdefault -F _playbyplay playbyplay
`,
  zsh: `#compdef playbyplay
_playbyplay() {
  local -a proposals
  local line description
  for line in "\${(@f)$(playbyplay __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ -n $line ]] || continue
    description=\${line#*$'\\t'}
    proposals+=("\${\${line%%$'\\t'*}//:/\\\\:}\${description:+:$description}")
  done
  if (( $#proposals )); then _describe playbyplay proposals; else _files; fi
}
compdef _playbyplay playbyplay
# As an autoloaded function, this file is run by the first completion.
if [[ $funcstack[1] == _playbyplay ]]; then _playbyplay "$@"; fi
`,
  fish: `function __playbyplay_complete
  set -l proposals (playbyplay __complete (commandline -opc)[2..] (commandline -ct) 2>/dev/null)
  if test (count $proposals) -gt 0
    printf '%s\\n' $proposals
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c playbyplay -f -a '(__playbyplay_complete)'
`,
};

/** `playbyplay completion <shell>` */
export const completion: RunCommand<typeof specs.completion> = (io, _options, shell) => {
  const script = SCRIPTS[shell];
  if (script === undefined) throw usageError(`there is no completion for "${shell}"`, 'Shells are bash, zsh and fish.');
  io.stdout.write(script);
  return 0;
};

/** Prints what can follow the words of a command line, the last of which may be incomplete: a proposal and its description per line. */
export async function printCompletions(
  app: Application<Context>,
  words: readonly string[],
  io: CommandIo,
): Promise<void> {
  // --option=value completes like --option value.
  const [, assigned = '', value = ''] = /^(--[\w-]+=)(.*)$/.exec(words.at(-1) ?? '') ?? [];
  const typed = assigned === '' ? words : [...words.slice(0, -1), assigned.slice(0, -1), value];
  const inputs = typed.filter((word, index) => word !== '=' || index === typed.length - 1);
  const partial = inputs.at(-1) ?? '';
  const proposals = await proposeCompletions(app, inputs, { process: io });
  for (const { completion: proposal, brief, kind } of [...namedCommands(app.root, inputs), ...proposals]) {
    // Options only once a dash is typed: until then an argument is more likely.
    if (kind === 'argument:flag' && (!partial.startsWith('-') || proposal === '--')) continue;
    // The description of an option says nothing of its single values.
    io.stdout.write(`${assigned}${proposal}\t${kind === 'argument:value' ? '' : brief}\n`);
  }
}

/** The commands of a group that runs one of them by default: for such a group the parser proposes that command's arguments only. */
function namedCommands(root: Target, words: readonly string[]) {
  let target: Target | undefined = root;
  for (const word of words.slice(0, -1))
    target = target && 'getRoutingTargetForInput' in target ? target.getRoutingTargetForInput(word) : undefined;
  if (!target || !('getAllEntries' in target) || !target.getDefaultCommand()) return [];
  return target
    .getAllEntries()
    .map(({ name, target: { brief } }) => ({
      completion: name.original,
      brief,
      kind: 'routing-target:command' as const,
    }))
    .filter(({ completion: name }) => name.startsWith(words.at(-1) ?? ''));
}
