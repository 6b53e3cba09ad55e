/** A pipeline to start from: files by path, relative to the folder that `gateline init` works in. */
export interface Template {
  readonly name: string;
  readonly summary: string;
  readonly files: Readonly<Record<string, string>>;
}
