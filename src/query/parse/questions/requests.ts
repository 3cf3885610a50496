import { count, list } from './answer-forms.ts';
import { ask, rule, type Rule } from './readings.ts';
import { be, word, owner } from './words.ts';

/** Requests around a question: "show me …", "can you tell …". */
export const requestRules: readonly Rule[] = [
  rule(
    'show|list|display|print|find|give|get|tell|fetch|search|search_for|look_for|return|see|pull_up|bring_up me|us? <q>',
    ({ tokens }) => ask(tokens('q'), (query) => query, 0.5),
  ),
  // "list everyone who killed Kyonshi"
  rule('everyone|everybody|anyone|people|players|those who|that <c>', ({ tokens }) =>
    ask([word('who', tokens('c')[0]), ...tokens('c')], (query) => query),
  ),
  rule('can|could|would|will you <q>', ({ tokens }) => ask(tokens('q'), (query) => query)),
  rule(
    'do_you_know|i_want_to_know|i_would_like_to_know|i_want_to_see|i_want|i_wanna_see|i_wanna_know|i_need|i_would_like_to_see|let_me_see|let_me_know|let_us_see|any_idea|wondering <q>',
    ({ tokens }) => ask(tokens('q'), (query) => query),
  ),
  rule('all|every|each|any|the|a|an of? the? <q>', ({ tokens }) => ask(tokens('q'), (query) => query, 1)),
  rule('a? list|lists|table|overview of all? <q>', ({ tokens }) => ask(tokens('q'), (query) => query)),
  rule('what|which|who is|are|was|were the|all? <q>', ({ tokens }) => ask(tokens('q'), (query) => query, 1)),
  rule('<q> happened|happen|occurred|occur|took_place|take_place <r>', ({ tokens }) =>
    ask([...tokens('q'), ...tokens('r')], (query) => query),
  ),
  rule('what|which <x> happened|happen|occurred|took_place <r*>', ({ tokens }) =>
    list([...tokens('x'), ...tokens('r')]),
  ),
  rule('<q> are|were|is|was', ({ tokens }) => ask(tokens('q'), (query) => query, 1)),
  rule(`how_many <x> ${be} made|scored|achieved|done <y>`, ({ tokens }) => count([...tokens('x'), ...tokens('y')])),
  rule('what|which <x> did <s> get|make|have|score between <y>', ({ tokens }) =>
    list([...owner(tokens('s')), ...tokens('x'), word('between', tokens('y')[0]), ...tokens('y')]),
  ),
  rule('<q> for me|myself', ({ tokens }) => ask([word('my', tokens('q')[0]), ...tokens('q')], (query) => query, 0.5)),
  rule(
    '<q> happened|happen|occurred|occur|took_place|are_there|were_there|is_there|was_there|there_were|there_are',
    ({ tokens }) => ask(tokens('q'), (query) => query),
  ),
];
