import type { Instruction, Place, Program } from './instructions.ts';
import { length } from './window.ts';

/** One line of a program for people: what is executed together, from where to where. */
export interface ListedInstruction {
  readonly pass: number;
  /** `conv`, `fetch+conv`, `conv+crop`, `crop` …: conv stands for a unit's convolution or pooling with all behind it. */
  readonly op: string;
  /** Name of the unit, if one is executed. */
  readonly unit?: string;
  /** `dram image 0–12`: buffer, map, and positions, both included. */
  readonly from: readonly string[];
  readonly to: readonly string[];
}

/**
 * A program in the form in which the design lists it: what a unit reads anew is part of its instruction (`fetch+conv`), and
 * what is cut off its output for the next pass too (`conv+crop`, two outputs). Moves within main memory are left out.
 */
export function listing(program: Program): ListedInstruction[] {
  return program.passes.flatMap((instructions, pass) => listedPass(instructions, pass));
}

function listedPass(instructions: readonly Instruction[], pass: number): ListedInstruction[] {
  const lines: { op: string[]; unit?: string; from: string[]; to: string[]; maps: Set<string> }[] = [];
  let before: { fetch: boolean; from: string[] } = { fetch: false, from: [] };
  for (const instruction of instructions) {
    switch (instruction.op) {
      case 'fetch':
        before.fetch = true;
        before.from.push(placed({ ...instruction.to, buffer: 'dram' }));
        break;
      case 'restore':
        before.from.push(placed(instruction.from));
        break;
      case 'run': {
        const fetched = before.fetch ? ['fetch', 'conv'] : ['conv'];
        const fromMain = instruction.inputs.map(placed).filter((text) => !before.from.includes(text));
        const from = before.fetch ? before.from : [...before.from, ...fromMain];
        const maps = new Set(instruction.outputs.map(({ map }) => map));
        lines.push({ op: fetched, unit: instruction.unit.name, from, to: instruction.outputs.map(placed), maps });
        before = { fetch: false, from: [] };
        break;
      }
      case 'store': {
        const last = lines.findLast(({ maps }) => maps.has(instruction.from.map))!;
        last.to = [
          ...last.to.filter((text) => !text.startsWith(`main ${instruction.from.map} `)),
          placed(instruction.to),
        ];
        break;
      }
      case 'crop': {
        const last = lines.findLast(({ maps }) => maps.has(instruction.from.map));
        if (last) {
          last.op.push('crop');
          last.to.push(placed(instruction.to));
        } else {
          lines.push({
            op: ['crop'],
            from: [placed(instruction.from)],
            to: [placed(instruction.to)],
            maps: new Set(),
          });
        }
        break;
      }
      default:
    }
  }
  return lines.map(({ op, unit, from, to }) => {
    const line = { pass, op: [...new Set(op)].join('+'), from, to };
    return unit === undefined ? line : { ...line, unit };
  });
}

function placed({ buffer, map, range }: Place): string {
  return length(range) === 0 ? `${buffer} ${map}` : `${buffer} ${map} ${range.from}–${range.to - 1}`;
}
