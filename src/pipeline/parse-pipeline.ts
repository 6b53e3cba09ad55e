import { checkSource, type ParsedPipeline } from './check-source.ts';
import { readSource } from './yaml/read-source.ts';

/**
 * Read and check a `gateline.yml` (docs/reference/gateline-yml.md). Never throws: for any text, the result is a
 * pipeline or at least one error with its place. All errors are found at once, except that a file which is not YAML has
 * only that error.
 *
 * @param text the file's content, at most 1 MiB of UTF-8; a byte order mark is skipped
 * @param file the file's name in messages
 */
export function parsePipeline(text: string, file: string): ParsedPipeline {
  return checkSource(readSource(text, file));
}
