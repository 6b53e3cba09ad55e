import { createHash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { ScratchWorkspace } from './scratch-workspace.ts';

/** Creates a database with a table, a trigger, blobs and a write-ahead log. */
export function createDatabase(path: string): void {
  using database = new DatabaseSync(path);
  database.exec(`
    PRAGMA journal_mode = WAL;
    CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT NOT NULL, photo BLOB);
    CREATE TABLE log (what TEXT, at INTEGER);
    CREATE TRIGGER logged AFTER INSERT ON users BEGIN INSERT INTO log VALUES ('insert ' || new.name, new.id); END;
    CREATE INDEX by_name ON users (name);
  `);
  const insert = database.prepare('INSERT INTO users VALUES (?, ?, ?)');
  for (let id = 1; id <= 200; id += 1) insert.run(id, `user ${id}`, createHash('sha512').update(String(id)).digest());
}

/** Everything that is in a database: its schema, and each row of each table. */
export function dumpOf(path: string): string {
  using database = new DatabaseSync(path, { readOnly: true });
  const schema = database.prepare('SELECT type, name, sql FROM sqlite_schema ORDER BY type, name').all();
  const tables = schema.filter(({ type }) => type === 'table').map(({ name }) => String(name));
  const rows = tables.map((name) => {
    const columns = database.prepare(`SELECT name FROM pragma_table_info(?)`).all(name);
    const quoted = columns.map((column) => `quote("${String(column['name'])}")`).join(` || ',' || `);
    return database.prepare(`SELECT ${quoted} AS row FROM "${name}" ORDER BY rowid`).all();
  });
  const integrity = database.prepare('PRAGMA integrity_check').all();
  return JSON.stringify({ schema, rows, integrity });
}

/** Whether SQLite finds the database sound. */
export function integrityOf(path: string): unknown {
  using database = new DatabaseSync(path, { readOnly: true });
  return database.prepare('PRAGMA integrity_check').get()?.['integrity_check'];
}

const MIGRATE = `
import { DatabaseSync } from 'node:sqlite';
const database = new DatabaseSync(process.env.DB);
database.exec(process.argv[2]);
database.close();
`;

/** SQLite's own way to copy a database that is in use. */
const SNAPSHOT = `
import { backup, DatabaseSync } from 'node:sqlite';
if (process.env.TOKEN !== undefined) throw new Error('a secret was handed on');
const database = new DatabaseSync(process.env.DB);
await backup(database, process.env.GATELINE_DATABASE_FILE);
database.close();
`;

/** BREAK: the disk is full after half of the database was overwritten. */
const RESTORE = `
import { readFileSync, writeFileSync, rmSync } from 'node:fs';
import { backup, DatabaseSync } from 'node:sqlite';
if (process.env.BREAK) {
  rmSync(process.env.DB + '-wal', { force: true });
  writeFileSync(process.env.DB, readFileSync(process.env.DB).subarray(0, 5000));
  console.error('database or disk is full');
  process.exit(1);
}
const database = new DatabaseSync(process.env.GATELINE_DATABASE_FILE, { readOnly: true });
await backup(database, process.env.DB).catch(async (error) => {
  if (error.errcode !== 11) throw error;
  for (const end of ['', '-wal', '-shm']) rmSync(process.env.DB + end, { force: true });
  await backup(database, process.env.DB);
});
database.close();
`;

const node = JSON.stringify(process.execPath);
const migrate = (sql: string): string => `${node} migrate.mjs ${JSON.stringify(sql)} && echo 1 > "$GATELINE_OUTPUT"`;

const FIRST = `ALTER TABLE users ADD COLUMN mail TEXT; UPDATE users SET mail = name || '@example.org', photo = zeroblob(3000);`;
const SECOND = `DROP TRIGGER logged; DELETE FROM users WHERE id % 2 = 0; CREATE TABLE extra AS SELECT * FROM users; DROP INDEX by_name;`;

/** A repository whose gates migrate a database, which git ignores, and write a file each. */
export async function sqliteProject(snapshots: object = {}, more: object = {}): Promise<ScratchWorkspace> {
  const database = { snapshot: `${node} snapshot.mjs`, restore: `${node} restore.mjs` };
  const definition = {
    pipeline: 'migration',
    subject: 'migration',
    defaults: { run: { shell: 'sh' } },
    snapshots: { database, ...snapshots },
    gates: {
      first: { run: `${migrate(FIRST)}; echo first > schema.txt`, inputs: ['*.mjs'], files: ['schema.txt'], ...more },
      second: {
        run: `${migrate(SECOND)}; echo second > schema.txt`,
        needs: 'first',
        inputs: ['*.mjs'],
        files: ['schema.txt'],
      },
    },
  };
  const workspace = await ScratchWorkspace.create({
    'gateline.yml': JSON.stringify(definition, null, 2),
    'migrate.mjs': MIGRATE,
    'snapshot.mjs': SNAPSHOT,
    'restore.mjs': RESTORE,
    'schema.txt': 'none\n',
    '.gitignore': 'app.db*\n',
  });
  createDatabase(workspace.path('app.db'));
  return workspace;
}
