import { type Application, proposeCompletions } from '@stricli/core';
import type { CommandIo, Context, RunCommand } from './command.ts';
import { usageError } from './options.ts';
import type * as specs from './specs.ts';

type Target = Application<Context>['root'];

/** Scripts that ask the program itself for proposals. They complete file names where there are none. */
const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `_playbyplay() {
  mapfile -t COMPREPLY < <(compgen -W "$(playbyplay __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1)" -- "\${COMP_WORDS[COMP_CWORD]}")
}
complete -o default -o bashdefault -F _playbyplay playbyplay
`,
  zsh: `#compdef playbyplay
_playbyplay() {
  local -a proposals
  local line
  for line in "\${(@f)$(playbyplay __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ -n $line ]] && proposals+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done
  if (( $#proposals )); then _describe playbyplay proposals; else _files; fi
}
compdef _playbyplay playbyplay
`,
  fish: `complete -c playbyplay -a '(playbyplay __complete (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
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
  const partial = words.at(-1) ?? '';
  const proposals = await proposeCompletions(app, words, { process: io });
  for (const { completion: proposal, brief, kind } of [...namedCommands(app.root, words), ...proposals]) {
    // Options only once a dash is typed: until then an argument is more likely.
    if (kind === 'argument:flag' && (!partial.startsWith('-') || proposal === '--')) continue;
    io.stdout.write(`${proposal}\t${brief}\n`);
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
