/** Builds the web app in every language, all at the same time, into the folder that the command names. */
import { rmSync } from 'node:fs';
import { build } from 'vite';
import type { InterfaceLanguage } from '../src/features/identity/people/people.schema.ts';
import { LANGUAGES } from './texts/languages.ts';
import { configureWeb } from './vite.config.ts';

const folder = process.argv[2];
if (!folder) throw new Error('Name the folder.');
rmSync(folder, { recursive: true, force: true });
const languages = Object.keys(LANGUAGES) as InterfaceLanguage[];
await Promise.all(
  languages.map((language) =>
    build({ ...configureWeb(language, folder), configFile: false, logLevel: 'warn' }),
  ),
);
