import {
  type ActionStatement,
  isPropertyStatement,
  type PropertyStatement,
  type PropertyValue,
  type Slot,
  type Statement,
  toMention,
  type WordId,
} from '../../events/statement.ts';
import { DISPLAY, READING } from '../sentences/function-words.ts';
import type { Entry } from './format.ts';
import { Phrasing } from './phrasing.ts';

/**
 * Sentences in Chinese, in simplified characters. The grammar is that of Li and Thompson, "Mandarin Chinese: A Functional Reference
 * Grammar": measure words, circumstances before the verb, perfective 了, passives with 被.
 */
export class ChinesePhrasing extends Phrasing {
  override write(statement: Statement): string {
    return isPropertyStatement(statement) ? this.change(statement) : this.action(statement);
  }

  private action(statement: ActionStatement): string {
    const { subject, object, to, amount, unit } = statement;
    const entry = this.find(statement.action, 'action');
    const options = entry?.options ?? new Map<string, string>();
    const alone = object === undefined ? options.get('alone') : undefined;
    const verb = alone ?? entry?.forms[0] ?? ` ${this.word(statement.action, 'action').forms.third} `;
    const isTemplate = verb.includes('{');
    const aspect = isTemplate || entry === undefined || entry.options.has('-') ? '' : '了';
    const measure = amount === undefined ? '' : this.amount(amount, unit);
    if (isTemplate) {
      const used = (slot: string): boolean => verb.includes(`{${slot}}`);
      const filled = verb
        .replace('{object}', object === undefined ? '' : this.nounPhrase(object))
        .replace('{to}', to === undefined ? '' : this.nounPhrase(to));
      const rest = object !== undefined && !used('object') ? this.nounPhrase(object) : '';
      return tidy(
        [
          subject === undefined ? '' : this.nounPhrase(subject),
          this.circumstances(statement, options, !used('to')),
          filled,
          rest,
          measure,
        ].join(''),
      );
    }
    if (subject === undefined && object !== undefined) {
      const { with: _, ...others } = statement;
      const place = this.circumstances(others, options, true);
      const agent = statement.with === undefined ? '' : this.nounPhrase(statement.with);
      return tidy([this.nounPhrase(object), place, '被', agent, verb, aspect, measure].join(''));
    }
    return tidy(
      [
        subject === undefined ? '' : this.nounPhrase(subject),
        this.circumstances(statement, options, true),
        verb,
        aspect,
        object === undefined ? '' : this.nounPhrase(object),
        measure,
      ].join(''),
    );
  }

  /** Place, source, recipient, manner and instrument, all of which precede the verb. */
  private circumstances(
    { at, from, to, manner, with: tool }: ActionStatement,
    options: Entry['options'],
    hasTo: boolean,
  ): string {
    const introduce = (slot: string, usual: string, filler: Slot): string =>
      `${options.get(slot) ?? usual}${this.nounPhrase(filler)}`;
    return [
      at === undefined ? '' : this.place(at),
      from === undefined ? '' : introduce('from', '从', from),
      to === undefined || !hasTo ? '' : introduce('to', '向', to),
      manner === undefined ? '' : this.name(toMention(manner).word, 'property'),
      tool === undefined ? '' : introduce('with', '用', tool),
    ].join('');
  }

  /** "在熔岩中": the noun says which word follows it. */
  private place(slot: Slot): string {
    return `在${this.nounPhrase(slot)}${this.find(toMention(slot).word, 'object')?.options.get('at') ?? ''}`;
  }

  private change({ subject, property, from, to }: PropertyStatement): string {
    const isDisplay = property === READING && this.dictionary.isA(toMention(subject).word, DISPLAY, 'object');
    const owner = this.nounPhrase(subject);
    const head = isDisplay ? owner : `${owner}的${this.name(property, 'property')}`;
    if (from === undefined) return tidy(`${head}变为${this.value(to)}`);
    if (typeof from !== 'number' || typeof to !== 'number')
      return tidy(`${head}从${this.value(from)}变为${this.value(to)}`);
    if (from === to) return tidy(`${head}保持在${to}`);
    const isUp = to > from;
    const isBetter = this.word(property, 'property').isLowerBetter !== isUp;
    const verb = this.word(property, 'property').isLowerBetter
      ? isBetter
        ? '提升到'
        : '下降到'
      : isUp
        ? '升到'
        : '降到';
    return tidy(`${head}从${from}${verb}${to}`);
  }

  private value(value: PropertyValue): string {
    if (typeof value === 'number') return String(value);
    if (typeof value === 'string') return `“${value}”`;
    const kind = this.kindOf(value.word);
    return kind === 'object' ? this.nounPhrase(value) : this.name(value.word, kind);
  }

  private amount(amount: number, unitId: WordId | undefined): string {
    const unit = unitId === undefined ? '' : this.name(unitId, 'object');
    return `（${this.clock(amount, unitId) ?? `${amount}${unit}`}）`;
  }

  private name(id: WordId, kind: 'object' | 'action' | 'property'): string {
    return this.find(id, kind)?.forms[0]!.replace(/\{\w+\}/g, '') ?? ` ${this.word(id, kind).name} `;
  }

  /** Owner, number with measure word, noun and name. */
  private nounPhrase(slot: Slot): string {
    const { word, name = '', count, of } = toMention(slot);
    const noun = this.name(word, 'object');
    const owner = of === undefined ? '' : `${this.nounPhrase(of)}的`;
    const measure = this.find(word, 'object')?.forms[1] ?? '个';
    const number = count === undefined ? '' : `${count}${measure}`;
    return `${owner}${number}${noun}${name}`;
  }
}

/** English words that the language lacks stand between spaces, but not at the ends of the sentence. */
function tidy(text: string): string {
  return text
    .replaceAll(/ {2,}/g, ' ')
    .replaceAll(/ (?=[，（）])/g, '')
    .trim();
}
