/** A pipeline to start from: files by path, relative to the folder of `gateline init`. */
export interface Template {
  readonly name: string;
  readonly summary: string;
  readonly files: Readonly<Record<string, string>>;
}
