import type { Application, StricliIntegration } from '@stricli/core';
import type { CommandSpec, Context } from './command.ts';
import type { Option } from './options.ts';
import { style } from './terminal.ts';

type Target = Application<Context>['root'];

const LINE_WIDTH = 100;
/** Column at which descriptions start. */
const INDENT = 26;

/** `--help` of every command and group. A group that is called without a command prints its help as an error. */
export const helpIntegration: StricliIntegration<Context> = {
  flag: {
    brief: 'Print this help.',
    aliases: ['h'],
    global: true,
    complete: true,
    defaultForRouteMap: true,
    run(app, { result: { target, prefix, unprocessedInputs } }) {
      const text = formatHelp(target, prefix.join(' '), target === app.root);
      const isAsked = 'helpRequested' in this.process && this.process.helpRequested === true;
      (isAsked ? this.process.stdout : this.process.stderr).write(
        text.replaceAll(/^[A-Z][\w ]*:/gm, (heading) => style('bold', heading)),
      );
      if (!isAsked && unprocessedInputs.length === 0) this.process.exitCode = 2;
    },
  },
};

/** The declaration that a command was built from; `undefined` for a group of commands. */
export function specOf(target: object | undefined): CommandSpec | undefined {
  return target !== undefined && 'spec' in target ? (target.spec as CommandSpec) : undefined;
}

/** The help of a command or group. `name` is what is typed for it. */
function formatHelp(target: Target, name: string, isRoot = false): string {
  const spec = specOf(target);
  if (spec) return formatCommandHelp(spec, name);
  if (!('getAllEntries' in target)) return '';
  const entries = target.getAllEntries().map((entry) => ({ name: entry.name.original, brief: entry.target.brief }));
  const width = Math.max(...entries.map((entry) => entry.name.length));
  const preset = target.getDefaultCommand();
  const presetSpec = specOf(preset);
  return [
    `${target.brief}.\n\nUsage: ${name} <command> …\n\nCommands:\n`,
    ...entries.map((entry) => row(entry.name, entry.brief, width + 4)),
    isRoot
      ? `\n  ${name} <command> --help   options and examples of a command\n  ${name} --version\n`
      : `\n  ${name} <command> --help   options and examples of a command\n`,
    ...(presetSpec ? [`\nWithout a command:\n\n${formatCommandHelp(presetSpec, name)}`] : []),
  ].join('');
}

function formatCommandHelp(spec: CommandSpec, name: string): string {
  const description = spec.description === undefined ? '' : `\n${wrap(spec.description, '')}\n`;
  const options = Object.entries(spec.options).map(([option, declared]) => {
    const { short } = declared;
    return row(
      `${short === undefined ? '    ' : `-${short}, `}${optionSyntax(option, declared)}`,
      describeOption(declared),
    );
  });
  const examples = (spec.examples ?? []).map((example) => `  playbyplay ${example}\n`);
  return [
    `Usage: ${name} ${usageOf(spec)}\n\n${spec.summary}.\n${description}`,
    `\nOptions:\n${[...options, row('-h, --help', 'Print this help.')].join('')}`,
    examples.length === 0 ? '' : `\nExamples:\n${examples.join('')}`,
  ].join('');
}

/** The arguments and options of a usage line. */
export function usageOf({ arguments: names, rest, minimumRest = 1, options }: CommandSpec): string {
  const last = rest === undefined ? [] : [minimumRest === 0 ? `[<${rest}>…]` : `<${rest}>…`];
  const needed = Object.entries(options)
    .filter(([, { parameter }]) => parameter.optional === false)
    .map(([name, option]) => optionSyntax(name, option));
  return [...names.map((name) => `<${name}>`), ...last, ...needed, '[options]'].join(' ');
}

/** `--out <folder>`, `--plan full|adaptive`, `--json`. */
export function optionSyntax(name: string, { parameter }: Option): string {
  if (parameter.kind === 'boolean') return `--${name}`;
  return parameter.values && parameter.values.length <= 4
    ? `--${name} ${parameter.values.join('|')}`
    : `--${name} <${parameter.placeholder ?? 'name'}>`;
}

/** The description of an option with what its declaration implies: values, default, repetition. */
export function describeOption({ parameter }: Option): string {
  const { brief, values = [], variadic } = parameter;
  const preset = parameter.kind === 'boolean' ? undefined : parameter.default;
  return [
    brief,
    ...(values.length > 4 ? [`One of ${values.join(', ')}.`] : []),
    ...(typeof preset === 'string' ? [`Default: ${preset}.`] : []),
    ...(variadic ? ['Can be repeated.'] : []),
    ...(parameter.optional === false ? ['Required.'] : []),
  ].join(' ');
}

function row(left: string, right: string, indent = INDENT): string {
  const start = `  ${left}`.padEnd(indent);
  const text = wrap(right, ' '.repeat(indent));
  return start.length > indent || !start.endsWith(' ') ? `${start}\n${text}\n` : `${start}${text.slice(indent)}\n`;
}

/** Breaks text into lines of at most 100 characters that all start with `indent`. */
export function wrap(text: string, indent: string): string {
  const lines: string[] = [];
  let line = indent;
  for (const word of text.split(/\s+/)) {
    if (line.length + word.length > LINE_WIDTH && line.trim() !== '') {
      lines.push(line.trimEnd());
      line = indent;
    }
    line += `${word} `;
  }
  return [...lines, line.trimEnd()].join('\n');
}
