/**
 * Parses the line that opens a code block in a guide: the language, then how the test of the guides treats the block.
 *   sh                      the test runs it; variables and functions are kept for the following blocks
 *   sh needs=php            the test runs it if the program is installed
 *   sh not-run: a reason    the test cannot run it
 *   ts file=receive.ts      the test stores it as this file, which a later block runs
 *   json output             the output of the previous block; … stands for anything
 */
export interface BlockInfo {
  language: string;
  file: string | null;
  needs: string | null;
  isOutput: boolean;
  /** Why the test cannot run the block; null if it can. */
  notRun: string | null;
}

export function parseBlockInfo(info: string): BlockInfo {
  const [, words, reason] = /^(.*?)(?:\bnot-run: (.+))?$/.exec(info.trim())!;
  const [language = '', ...options] = words!.trim().split(/\s+/);
  const parsed: BlockInfo = { language, file: null, needs: null, isOutput: false, notRun: reason ?? null };
  for (const option of options) {
    const [name, value] = option.split('=');
    if (option === 'output') parsed.isOutput = true;
    else if (name === 'file' && value) parsed.file = value;
    else if (name === 'needs' && value) parsed.needs = value;
    else throw new Error(`Unknown option of a code block: ${option}`);
  }
  if (!language) throw new Error('A code block has no language.');
  return parsed;
}
