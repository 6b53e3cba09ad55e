import type { RecordStore } from '../../record-store.ts';

/** A store of contents on this machine: those waiting for their record, and those downloaded. */
export type Spool = Pick<RecordStore, 'put' | 'putStream' | 'get' | 'check' | 'copyTo'>;
