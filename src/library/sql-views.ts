/**
 * Views of an index with readable names, for people who ask it in SQL (`sqlite3`, `psql`, Datasette, DuckDB). Events with their
 * times are packed and stand in no view: `playbyplay library export` writes them.
 *
 * @param createView The statement that creates a view.
 * @param field The SQL for what a path leads to in the column `json` of a statement.
 */
export function sqlViews(createView: string, field: (...path: readonly string[]) => string): string {
  const word = (slot: string): string => `coalesce(${field(slot, 'word')}, ${field(slot)})`;
  return `
${createView} sessions AS
  SELECT session, name, game, duration AS seconds, events, path AS log FROM session;
${createView} statements AS
  SELECT
    id AS statement_id,
    ${field('action')} AS action,
    ${field('property')} AS property,
    ${word('subject')} AS subject,
    ${word('object')} AS object,
    ${word('with')} AS instrument,
    ${word('at')} AS place,
    ${word('manner')} AS manner,
    events, tentative AS tentative_events
  FROM shape WHERE events + tentative > 0;
${createView} session_statements AS
  SELECT session.session, session.name, session.game, statements.statement_id, action, property, subject, object, instrument,
    place, manner, occurrence.events, occurrence.tentative AS tentative_events, session.duration AS seconds,
    CASE WHEN session.duration > 0 THEN occurrence.events * 60.0 / session.duration END AS per_minute
  FROM occurrence
  JOIN session ON session.id = occurrence.session
  JOIN statements ON statements.statement_id = occurrence.shape;
${createView} session_names AS
  SELECT session.session, session.game, string.string AS name
  FROM mention
  JOIN session ON session.id = mention.session
  JOIN string ON string.id = mention.string;
`;
}
