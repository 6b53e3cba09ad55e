import { join } from 'node:path';

/** The repository. */
export const REPOSITORY = join(import.meta.dirname, '../../..');

/** What tests prepare once for all that come after. */
export const PREPARED = join(REPOSITORY, 'node_modules/.cache/gateline-tests');

/**
 * Where the bundle of this test run is: loading `src/` file by file costs each process that a test starts 150 ms.
 * `setup.ts` sets it. Who sets it to {@link FROM_SOURCES} wants none: a few tests are through before it is made.
 */
export const PROGRAMS_VARIABLE = 'GATELINE_TEST_PROGRAMS';

/** In {@link PROGRAMS_VARIABLE}: programs are loaded from `src/`. */
export const FROM_SOURCES = 'src';

const given = process.env[PROGRAMS_VARIABLE] ?? FROM_SOURCES;

/** Folder of the bundle; undefined where programs are loaded from `src/`. */
export const BUNDLED = given === FROM_SOURCES ? undefined : given;
