/** What a workflow calls the action. */
export const ACTION = 'gateline/gateline@v1';

/** Something that a workflow file may say. JSON is YAML. */
export type Yaml = string | number | boolean | null | readonly Yaml[] | { readonly [key: string]: Yaml };
export type Keys = Readonly<Record<string, Yaml>>;

/** The text of a workflow file with these jobs. */
export function workflowOf(jobs: Readonly<Record<string, Keys>>, more: Keys = {}): string {
  return JSON.stringify({ name: 'gates', on: 'push', ...more, jobs }, null, 2);
}

/** The commit of the run, as jobs get it. */
export const CHECKOUT: Keys = { uses: 'actions/checkout@v7' };

/** A job of these steps; it tells what its step `gate` did. */
export function job(steps: readonly Keys[], more: Keys = {}): Keys {
  return { 'runs-on': 'ubuntu-latest', outputs: outputsFrom('gate'), steps, ...more };
}

/** A job with one gate, without any input file unless it says so. What stands in `needs` of the job is what the gate needs. */
export function gateJob(inputs: Keys, more: Keys = {}): Keys {
  return job([CHECKOUT, gateStep(inputs, more)], more);
}

/** The step `gate` of the job with these keys. */
export function gateStep(inputs: Keys, jobKeys: Keys = {}): Keys {
  const needs: Keys = 'needs' in jobKeys ? { needs: '${{ toJSON(needs) }}' } : {};
  const fileless: Keys = 'inputs' in inputs || 'file' in inputs ? {} : { inputs: '[]' };
  return { id: 'gate', uses: ACTION, with: { ...needs, ...fileless, ...inputs } };
}

/** The job that a branch rule requires. */
export function reportJob(needs: string | readonly string[], inputs: Keys = {}): Keys {
  const step = { id: 'report', uses: ACTION, with: { command: 'report', needs: '${{ toJSON(needs) }}', ...inputs } };
  return { 'runs-on': 'ubuntu-latest', needs, if: 'always()', steps: [CHECKOUT, step] };
}

/** An agent of `run` that notes its start, does something else, and puts this out. */
export function agent(value: unknown, also = ''): string {
  return `echo "$GATELINE_GATE $GATELINE_ATTEMPT $$" >> "$START_LOG"\n${also}\n${put(value, '$GATELINE_OUTPUT')}`;
}

function put(value: unknown, file: string): string {
  return `cat > "${file}" <<'END'\n${JSON.stringify(value)}\nEND\n`;
}

function outputsFrom(step: string): Keys {
  const names = ['digest', 'gate', 'decision', 'status'];
  return Object.fromEntries(names.map((name) => [name, `\${{ steps.${step}.outputs.${name} }}`]));
}
