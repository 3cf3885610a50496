/**
 * Views of an SQLite index with readable names, for people who ask it in SQL (`sqlite3`, Datasette, DuckDB). Events with their
 * times are packed and stand in no view: `playbyplay library export` writes them.
 */
export const SQL_VIEWS = `
CREATE VIEW IF NOT EXISTS sessions AS
  SELECT session, name, game, duration AS seconds, events, path AS log FROM session;
CREATE VIEW IF NOT EXISTS statements AS
  SELECT
    id AS statement_id,
    json_extract(json, '$.action') AS action,
    json_extract(json, '$.property') AS property,
    coalesce(json_extract(json, '$.subject.word'), json_extract(json, '$.subject')) AS subject,
    coalesce(json_extract(json, '$.object.word'), json_extract(json, '$.object')) AS object,
    coalesce(json_extract(json, '$.with.word'), json_extract(json, '$.with')) AS instrument,
    coalesce(json_extract(json, '$.at.word'), json_extract(json, '$.at')) AS place,
    coalesce(json_extract(json, '$.manner.word'), json_extract(json, '$.manner')) AS manner,
    events, tentative AS tentative_events
  FROM shape WHERE events + tentative > 0;
CREATE VIEW IF NOT EXISTS session_statements AS
  SELECT session.session, session.name, session.game, statements.statement_id, action, property, subject, object, instrument,
    place, manner, occurrence.events, occurrence.tentative AS tentative_events, session.duration AS seconds,
    CASE WHEN session.duration > 0 THEN occurrence.events * 60.0 / session.duration END AS per_minute
  FROM occurrence
  JOIN session ON session.id = occurrence.session
  JOIN statements ON statements.statement_id = occurrence.shape;
CREATE VIEW IF NOT EXISTS session_names AS
  SELECT session.session, session.game, string.string AS name
  FROM mention
  JOIN session ON session.id = mention.session
  JOIN string ON string.id = mention.string;
`;
