import type { Fault } from './fault.ts';

const CONTRACT = ['test/store/filesystem/contract.test.ts'];
const RECORDS = ['test/store/filesystem/record-files.test.ts'];

/** Faults in storing records and outputs. */
export const STORE_FAULTS: readonly Fault[] = [
  {
    name: 'store: writing a record overwrites the one that is there',
    find: "unlinkSync(temporary);\n    if (linked === 'taken') return false;",
    replace: 'await rename(temporary, path);',
    tests: CONTRACT,
    why: 'two processes would both hold one claim, and history could be rewritten',
  },
  {
    name: 'store: without hard links a record overwrites the one that is there',
    find: 'if (!(await reserve(path))) {',
    replace: "if (!(await reserve(path)) && path === '') {",
    tests: CONTRACT,
    why: 'two processes would both hold one claim, and history could be rewritten',
  },
  {
    name: 'store: in memory a record overwrites the one that is there',
    find: "if (this.#medium.records.has(key)) return 'taken';",
    replace: '',
    tests: ['test/store/memory/memory-store.test.ts'],
    why: 'the store that tests of others build on would prove nothing',
  },
  {
    name: 'store: a file is only written where its temporary folder is on the same file system',
    find: "if (folder !== dirname(path) && isSystemError(error, 'EXDEV')) return false;",
    replace: '',
    tests: ['test/store/filesystem/state-folder.test.ts'],
    why: 'files of other systems would not be kept where .state is a volume of its own',
  },
  {
    name: 'store: runs that need each other are removed one after the other',
    find: 'if (runs.length > 1) {',
    replace: 'if (runs.length > 1_000) {',
    tests: ['test/store/filesystem/removed-runs.test.ts'],
    why: 'after a kill, an output could be there without the decision about it',
  },
  {
    name: 'store: contents that were stored just now are removed',
    find: 'status?.isFile() !== true || status.mtimeMs >= before.getTime()',
    replace: 'status?.isFile() !== true',
    tests: ['test/store/filesystem/removed-runs.test.ts'],
    why: 'another command may be about to record them',
  },
  {
    name: 'store: content that is stored again stays old',
    find: 'await utimes(path, now, now);',
    replace: '',
    tests: ['test/store/filesystem/removed-runs.test.ts'],
    why: 'it could be removed before the record that names it is written',
  },
  {
    name: 'store: the digest of content is not verified',
    find: 'const isWhole = actual === digest && bytes === file.size;',
    replace: 'const isWhole = bytes === file.size;',
    tests: CONTRACT,
    why: 'altered outputs would be handed on',
  },
  {
    name: 'store: content is copied without looking at its digest',
    find: "() => (actual = `sha256:${hash.digest('hex')}`) === digest,",
    replace: "() => (actual = `sha256:${hash.digest('hex')}`) !== undefined,",
    tests: CONTRACT,
    why: 'altered files would be put into the workspace',
  },
  {
    name: 'store: a second bad file overwrites the first one in quarantine',
    find: 'relative(state.root, path))}.${tag}`',
    replace: 'relative(state.root, path))}.${tag.slice(0, 0)}bad`',
    tests: ['test/store/filesystem/quarantine.test.ts'],
    why: 'what a user might still want to look at would be gone',
  },
  {
    name: 'store: a record of a newer version is moved away',
    find: " && fault.code !== 'UNKNOWN_VERSION'",
    replace: '',
    tests: RECORDS,
    why: 'looking with an older Gateline would break a run of a newer one',
  },
  {
    name: 'store: a file that cannot be read counts as absent',
    find: "if (file.state === 'unreadable') return problem(state, entry, { code: 'UNREADABLE', message: file.message });",
    replace: "if (file.state === 'unreadable') return { state: 'absent' };",
    tests: RECORDS,
    why: 'a rejection on a bad disk would be no rejection',
  },
  {
    name: 'store: a folder that cannot be listed counts as empty',
    find: "code: 'LISTING_LIMIT',\n        where: this.#state.show(folder),",
    replace: "code: 'CORRUPT',\n        where: this.#state.show(folder),",
    tests: RECORDS,
    why: 'outputs would be reused whose rejection nobody could see',
  },
  {
    name: 'store: a second engine gets the lock of a living one',
    find: 'if (seen > 0) await refuseLiving(root, seen, isAlive);',
    replace: '',
    tests: ['test/store/filesystem/lock/engine-lock.test.ts'],
    only: 'held by one at a time',
    why: 'two engines would work in one folder, over each other’s files',
  },
  {
    name: 'store: a state file that somebody edited is overwritten',
    find: "if (digestOfJson({ ...json.value, gateline }) !== checksum) return foreign('somebody edited it');",
    replace: '',
    tests: ['test/store/projections.test.ts'],
    why: 'a person’s work would be gone without a trace',
  },
  {
    name: 'store: an index with a damaged line is used',
    find: 'if (found.includes(undefined)) return false;',
    replace: '',
    tests: ['test/store/filesystem/checkpoints.test.ts'],
    why: 'outputs of other branches would not be found, for ever',
  },
  {
    name: 'contents: what is damaged is compressed',
    find: "if (hash.digest('hex') !== hexOf(digest) || temporary.bytes > size * MOST_LEFT) return 0;",
    replace: 'if (temporary.bytes > size * MOST_LEFT) return 0;',
    tests: ['test/store/filesystem/content-files.test.ts'],
    why: 'an interrupted compression would take the place of the content',
  },
];
