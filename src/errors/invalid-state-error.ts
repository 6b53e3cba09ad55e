import { GatelineError } from './gateline-error.ts';

/** What a gate or command lacks. */
export interface InvalidStateDetails {
  /** Names of the entities that are not valid. */
  readonly missing: readonly string[];
  /** The gate, or the command. */
  readonly command: string;
  /** Commands that would make them valid, in order; empty if there are none. */
  readonly setup: readonly string[];
}

/** A gate or command requires entities that are not valid: `STATE_INVALID`. */
export class InvalidStateError extends GatelineError {
  readonly details: InvalidStateDetails;

  /**
   * @param hint.why sentences
   * @param hint.wayOut a sentence. Default: the commands of `setup`
   */
  constructor(details: InvalidStateDetails, hint: { readonly why?: string; readonly wayOut?: string } = {}) {
    const names = details.missing.map((name) => `'${name}'`).join(', ');
    const message = details.missing.length === 1 ? `Required state ${names} is` : `Required states ${names} are`;
    const { setup, command } = details;
    const commands = setup.map((one) => `\`gateline do ${one}\``).join(', then ');
    const { why, wayOut = setup.length === 0 ? undefined : `${commands} makes it valid for ${command}.` } = hint;
    const sentences = [why, wayOut].filter(Boolean).join(' ');
    super('STATE_INVALID', `${message} not valid`, { hint: sentences === '' ? undefined : sentences });
    this.details = details;
  }
}
