/** Reads the code blocks of a guide. */
import { readFileSync } from 'node:fs';
import { marked } from 'marked';
import { parseBlockInfo, type BlockInfo } from '../../scripts/guides/block-info.ts';

export interface Block extends BlockInfo {
  /** The line of the guide on which the block begins. */
  line: number;
  text: string;
}

export function readGuide(file: string): Block[] {
  const source = readFileSync(file, 'utf8');
  const blocks: Block[] = [];
  let at = 0;
  void marked.walkTokens(marked.lexer(source), (token) => {
    if (token.type !== 'code') return;
    at = source.indexOf(token.raw.trimStart(), at);
    const line = source.slice(0, at).split('\n').length;
    at += token.raw.trimStart().length;
    blocks.push({ ...parseBlockInfo(String(token.lang ?? '')), line, text: String(token.text) });
  });
  return blocks;
}
