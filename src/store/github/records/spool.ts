import type { RecordStore } from '../../record-store.ts';

/** A store of contents on this machine: what waits for its record, and what was brought here. */
export type Spool = Pick<RecordStore, 'put' | 'putStream' | 'get' | 'check' | 'copyTo'>;
