const HEREDOC = /^([^=<]+)<<(.+)$/;

/**
 * What a step wrote to `GITHUB_OUTPUT` or `GITHUB_STATE`, read as the runner reads it: `name=value`, or
 * `name<<delimiter`, lines, delimiter. A later value of a name wins.
 * https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands#setting-an-output-parameter
 * Throws where the runner would fail the step.
 */
export function parseFileCommand(text: string): Record<string, string> {
  const values: Record<string, string> = {};
  const lines = text.split(/\r?\n/);
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index]!;
    if (line === '') continue;
    const equals = line.indexOf('=');
    const heredoc = HEREDOC.exec(line);
    if (heredoc !== null && (equals === -1 || line.indexOf('<<') < equals)) {
      const [, name = '', delimiter = ''] = heredoc;
      const end = lines.indexOf(delimiter, index + 1);
      if (end === -1) throw new Error(`invalid value: no line is the delimiter ${delimiter} of ${name}`);
      values[name] = lines.slice(index + 1, end).join('\n');
      index = end;
    } else if (equals > 0) values[line.slice(0, equals)] = line.slice(equals + 1);
    else throw new Error(`invalid format: ${line}`);
  }
  return values;
}
