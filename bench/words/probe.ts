// Which terms of glossaries the built-in dictionaries have, as a name, synonym or form of a word; ignores case and hyphens.
//   node bench/words/probe.ts bench/words/probe-last.txt [--missing]
// The file has lines "# <glossary>", each followed by a line of terms, separated by commas.
import { readFileSync } from 'node:fs';
import { loadBuiltin } from '../../src/dictionary/files.ts';
import { getLexicon } from '../../src/dictionary/sentences/lexicon.ts';

const [path, flag] = process.argv.slice(2);
if (path === undefined) throw new TypeError('give a file with terms');
const { dictionary } = await loadBuiltin(undefined, { meaning: false });
const key = (text: string): string => text.toLowerCase().replaceAll(/[- ]/g, '');
const spellings = new Set([...getLexicon(dictionary).names(), ...dictionary.events.map(({ name }) => name)].map(key));

let all = 0;
let found = 0;
let glossary = '';
for (const line of readFileSync(path, 'utf8').split('\n')) {
  if (line.startsWith('# ')) glossary = line.slice(2);
  else if (line.trim() !== '') {
    const terms = [...new Set(line.split(',').map((term) => term.trim()))];
    const missing = terms.filter((term) => !spellings.has(key(term)));
    all += terms.length;
    found += terms.length - missing.length;
    process.stdout.write(`${terms.length - missing.length} of ${terms.length}: ${glossary}\n`);
    if (flag === '--missing') process.stdout.write(`  missing: ${missing.join(', ')}\n`);
  }
}
process.stdout.write(`${found} of ${all} (${((100 * found) / all).toFixed(1)} %)\n`);
