import type { EngineEvent } from '../engine/ports.ts';
import type { Pipeline } from '../pipeline/pipeline.ts';
import { checkpointMarkdown } from '../report/checkpoint.ts';
import { statusTable } from '../report/status-table.ts';
import { fit, oneLine, type Paint } from '../report/text.ts';
import { durationText, endedAfter, toneOf } from '../report/wording.ts';
import type { RunState } from '../run/run-state.ts';
import type { UnitGraph } from '../run/unit.ts';
import type { Screen } from './world.ts';

/** Shows what the engine does while it does it. */
export interface Progress extends Disposable {
  follow(event: EngineEvent): void;
  note(message: string): void;
}

/** What progress is shown with. */
export interface ProgressInput {
  readonly screen: Screen;
  readonly paint: Paint;
  readonly pipeline: Pipeline;
  readonly graph: UnitGraph;
  readonly now: () => Date;
  /** Show agents' output lines. */
  readonly lines: boolean;
  /** Print a Markdown checkpoint after each gate. */
  readonly checkpoints: boolean;
}

/** Live on a terminal, plain lines elsewhere. */
export function createProgress(input: ProgressInput): Progress {
  return input.screen.interactive ? liveProgress(input) : plainProgress(input);
}

function plainProgress(input: ProgressInput): Progress {
  return {
    follow: (event) => {
      const text = lineFor(event, input);
      if (text !== undefined) input.screen.write(`${text}\n`);
      const checkpoint = checkpointFor(event, input);
      if (checkpoint !== undefined) input.screen.write(`\n${checkpoint}\n`);
    },
    note: (message) => input.screen.write(`note: ${oneLine(message)}\n`),
    [Symbol.dispose]: () => undefined,
  };
}

const REFRESH_MS = 200;

/** A table that is drawn over itself; lines that stay are written above it. */
function liveProgress(input: ProgressInput): Progress {
  const { screen } = input;
  let drawn = 0;
  let state: RunState | undefined;
  let last = '';
  const erase = (): void => {
    if (drawn > 0) screen.write(`\u001B[${drawn}A\u001B[0J`);
    drawn = 0;
  };
  const draw = (): void => {
    if (state === undefined) return;
    const table = statusTable(state, input.pipeline, {
      width: screen.columns,
      paint: input.paint,
      now: input.now().toISOString(),
    });
    const text =
      last === '' ? table : `${table.trimEnd()}\n${input.paint('quiet', fit(oneLine(last), screen.columns - 1))}`;
    erase();
    screen.write(`${text.trimEnd()}\n`);
    drawn = text.trimEnd().split('\n').length;
  };
  const timer = setInterval(draw, REFRESH_MS);
  timer.unref();
  return {
    follow: (event) => {
      if (event.type === 'line') {
        last = `${event.unit}: ${event.line}`;
        return;
      }
      if (event.type === 'state' || event.type === 'ended') state = event.state;
      const text = event.type === 'started' ? undefined : lineFor(event, input);
      erase();
      if (text !== undefined) screen.write(`${text}\n`);
      draw();
    },
    note: (message) => {
      erase();
      screen.write(`note: ${oneLine(message)}\n`);
      draw();
    },
    [Symbol.dispose]: () => {
      clearInterval(timer);
      erase();
    },
  };
}

/** One line for an event; `undefined` for those that need none. */
function lineFor(event: EngineEvent, input: ProgressInput): string | undefined {
  const { paint } = input;
  switch (event.type) {
    case 'planned': {
      const { key, choice, reason } = event.planned;
      const tone = choice === 'blocked' ? 'bad' : choice === 'run' ? 'strong' : 'quiet';
      return `${oneLine(key)}: ${paint(tone, choice)}: ${oneLine(reason)}`;
    }
    case 'started':
      return `${oneLine(event.unit)}: started, attempt ${event.record.n} of at most ${event.attempts}`;
    case 'line':
      return input.lines ? `${oneLine(event.unit)} | ${oneLine(event.line)}` : undefined;
    case 'ended': {
      const { verdict } = event.record;
      const time = durationText(endedAfter(event.record));
      const what = `${paint(toneOf(verdict.status), verdict.status)}${verdict.kind === verdict.status ? '' : ` (${verdict.kind})`}`;
      const advice = verdict.status === 'passed' ? '' : `: ${oneLine(verdict.advice)}`;
      const again = event.retrying ? '; trying again with this as feedback' : '';
      return `${oneLine(event.unit)}: ${what}, score ${verdict.score}, ${time}${advice}${again}`;
    }
    case 'notice':
      return `note: ${event.unit === undefined ? '' : `${oneLine(event.unit)}: `}${oneLine(event.message)}`;
    case 'state':
      return undefined;
  }
}

/** The Markdown checkpoint that the state guide wants logged after each gate. */
function checkpointFor(event: EngineEvent, input: ProgressInput): string | undefined {
  if (event.type !== 'ended' || !input.checkpoints) return undefined;
  const unit = input.graph.get(event.unit);
  return unit && checkpointMarkdown({ unit, graph: input.graph, state: event.state });
}
