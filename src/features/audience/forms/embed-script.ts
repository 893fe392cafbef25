/**
 * The form as a script for other sites: in the page, as a pop-up or as a bar. It needs no other file, sets no cookie and
 * stores nothing but, for the visit, that someone has closed it. The form is in a shadow root, so that the styles of the
 * site and those of the form do not meet, and its style sheet is made by the script, which the policy of a site allows.
 */
import { escapeHtml } from '../../../mail/html/entities.ts';
import { renderEmbedHtml } from './embed-html.ts';
import { formTextsIn } from './form-texts.ts';
import type { FormColor, FormField, FormLanguage, FormText } from './forms.schema.ts';

const EMBED_STYLES = ['inline', 'popup', 'bar'] as const;
export type EmbedStyle = (typeof EMBED_STYLES)[number];
/** Follows the ID of the form in the path. */
export const SCRIPT_SUFFIX = '.js';

interface ScriptForm {
  /** The URL of the page of the form. */
  url: string;
  fields: FormField[];
  texts: Record<FormText, string | null>;
  colors: Partial<Record<FormColor, string>>;
  bookName: string;
  language: FormLanguage | null;
}

/** Returns the code that goes into a site for each style. */
export function embedScriptTags(url: string): Record<EmbedStyle, string> {
  const tag = (style: EmbedStyle) =>
    `<script async src="${escapeHtml(url)}${SCRIPT_SUFFIX}" data-style="${style}"></script>`;
  return { inline: tag('inline'), popup: tag('popup'), bar: tag('bar') };
}

const STYLE = `:host{all:initial}
*{box-sizing:border-box}
.box{font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);padding:1.25rem;border-radius:10px;position:relative;overflow-wrap:anywhere}
h2{font-size:1.25em;line-height:1.25;margin:0 1.5rem .5rem 0}
p{margin:0 0 .75rem}
form p:last-child{margin:0}
input{width:100%;padding:.55rem .7rem;border:1px solid #888;border-radius:6px;font:inherit;background:#fff;color:#222}
br{display:none}
[type=submit]{padding:.6rem 1.2rem;border:0;border-radius:6px;background:var(--button);color:var(--label);font:inherit;font-weight:600;cursor:pointer}
.x{position:absolute;top:.4rem;inset-inline-end:.5rem;border:0;background:none;color:inherit;font-size:1.4rem;line-height:1;cursor:pointer;padding:.4rem}
:focus-visible{outline:2px solid currentColor;outline-offset:2px}
.popup,.bar{position:fixed;z-index:2147483000;box-shadow:0 8px 40px #0004}
.popup{inset-block-end:1.25rem;inset-inline-end:1.25rem;width:min(24rem,100vw - 2.5rem);max-height:calc(100vh - 2.5rem);overflow:auto}
.bar{inset:auto 0 0;border-radius:0;padding:.9rem 3rem .9rem 1.25rem}
.bar form{display:flex;flex-wrap:wrap;gap:.6rem;align-items:end}
.bar p{margin:0}
@media(max-width:40em){.bar form p{width:100%}}
.inline .x{display:none}`;

/** Runs in the sites of others, so it is written for all browsers of the last years, and kept small. */
const RUN = `
const script=document.currentScript,style=script&&script.dataset.style||'inline',key='form closed '+form.url;
const floats=style!=='inline';
let closed=false;try{closed=floats&&sessionStorage.getItem(key)!==null}catch{}
if(closed)return;
const host=document.createElement('div'),root=host.attachShadow({mode:'open'});
const sheet=new CSSStyleSheet();sheet.replaceSync(form.css);root.adoptedStyleSheets=[sheet];
root.innerHTML='<section dir="auto" class="box '+(floats?style:'inline')+'"><button class="x" type="button">\\u00d7</button>'+form.html+'</section>';
const box=root.firstChild,close=root.querySelector('.x'),f=root.querySelector('form');
close.setAttribute('aria-label',form.close);box.setAttribute('aria-label',form.title);
function leave(){host.remove();try{sessionStorage.setItem(key,'1')}catch{}}
close.onclick=leave;
box.onkeydown=e=>{if(floats&&e.key==='Escape')leave()};
function say(text,isProblem){let p=root.querySelector('[role]');if(!p){p=document.createElement('p');box.append(p)}p.setAttribute('role',isProblem?'alert':'status');p.textContent=text}
f.onsubmit=async e=>{e.preventDefault();const b=f.querySelector('[type=submit]');b.disabled=true;
try{const r=await fetch(form.url,{method:'POST',headers:{accept:'application/json'},body:new URLSearchParams(new FormData(f))}),a=await r.json();
if(!r.ok)say(form.problems[a.error.code]||form.problems.BAD_REQUEST,true);
else if(a.redirectUrl)location.href=a.redirectUrl;
else{f.remove();box.querySelector('h2').textContent=a.title;say(a.message)}
}catch{say(form.problems.INTERNAL,true)}b.disabled=false};
if(!floats)return script?script.after(host):document.body.append(host);
let shown=false;const show=()=>{if(!shown){shown=true;document.body.append(host)}};
if(style==='bar')document.body?show():addEventListener('DOMContentLoaded',show);
else{setTimeout(show,15e3);addEventListener('scroll',()=>{const d=document.documentElement;if(scrollY>(d.scrollHeight-innerHeight)*.4)show()},{passive:true})}
`;

export function renderEmbedScript(form: ScriptForm): string {
  const language = form.language ?? 'en';
  const texts = formTextsIn(language);
  const title = form.texts.title ?? texts.title.replace('{book}', () => form.bookName);
  const {
    background = '#ffffff',
    text = '#222222',
    button = '#222222',
    buttonText = '#ffffff',
  } = form.colors;
  const colors = `.box{--paper:${background};--ink:${text};--button:${button};--label:${buttonText}}`;
  const about = form.texts.description === null ? '' : `<p>${escapeHtml(form.texts.description)}</p>`;
  const config = {
    url: form.url,
    title,
    html: `<h2>${escapeHtml(title)}</h2>${about}${renderEmbedHtml(form)}`,
    css: STYLE.replaceAll('\n', '') + colors,
    close: texts.close,
    problems: { BAD_REQUEST: texts.invalidEmail, RATE_LIMITED: texts.tooMany, INTERNAL: texts.unreadable },
  };
  // Nothing in it can end a script element, even where a site copies the code into its page.
  const json = JSON.stringify(config).replaceAll('<', '\\u003c');
  return `(()=>{const form=${json};${RUN.replaceAll('\n', '')}})();\n`;
}
