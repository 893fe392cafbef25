/** The styles of the documentation. On wide screens contents, text and samples are side by side. */
export const DOCS_STYLE = `
html { scroll-padding-top: 1rem; }
h1, h2, h3, h4 { line-height: 1.25; text-wrap: balance; }
h1 { margin: 0 0 .75rem; font-size: 2rem; letter-spacing: -.01em; }
h2 { margin: 0 0 .5rem; font-size: 1.5rem; letter-spacing: -.01em; }
h3 { margin: 0 0 .75rem; font-size: 1.1875rem; }
h4 { margin: 1.75rem 0 .5rem; font-size: .875rem; font-weight: 600; }
h3 a { color: inherit; text-decoration: none; }
h3 a:hover { text-decoration: underline; }
h3 a::after { content: ' #'; color: var(--soft); opacity: 0; }
h3 a:hover::after, h3 a:focus::after { opacity: 1; }
p { margin: 0 0 .75rem; max-width: 42rem; text-wrap: pretty; }
pre + p { margin-top: .75rem; }

.skip { position: fixed; z-index: 3; top: .5rem; left: .5rem; padding: .5rem 1rem; background: var(--paper); }
.skip:not(:focus) { transform: translateY(-200%); }
.brand { font-weight: 650; color: inherit; text-decoration: none; }
.logo { width: 1.25em; height: 1.25em; margin-right: .25em; vertical-align: -.25em; }
.resting { position: fixed; }

.bar {
  position: sticky; z-index: 1; top: 0; display: flex; justify-content: space-between; padding: .6rem 1.25rem;
  border-bottom: 1px solid var(--line); background: var(--paper);
}
.contents { display: none; padding: 1.25rem 1.25rem 3rem; overflow-y: auto; background: var(--panel); }
.contents:target { position: fixed; z-index: 2; inset: 0; display: block; overscroll-behavior: contain; }
.contents ul { margin: 0; padding: 0; list-style: none; }
.contents .top { display: flex; justify-content: space-between; margin: 0 0 1.25rem; }
.contents .group { display: block; margin: 1.25rem 0 .25rem; font-size: .875rem; font-weight: 600; }
.contents a { color: inherit; }
.contents li a { text-decoration: none; }
.contents li li a {
  display: flex; gap: .5rem; align-items: baseline; margin: 0 -.5rem; padding: .25rem .5rem; border-radius: 6px;
  font-size: .875rem; line-height: 1.4;
}
.contents li li a:hover { background: var(--line); }
/* Browsers that support it highlight the current entry of the contents. */
.contents { scroll-target-group: auto; }
.contents li li a:target-current { background: var(--line); font-weight: 600; }
.contents .method { flex: none; width: 3.25rem; padding: 0; background: none; font-size: .6875rem; }

.search { margin: 0 0 .5rem; }
.search input { width: 100%; }
.search .found { min-height: 1.25rem; margin: .25rem 0 0; font-size: .8125rem; color: var(--soft); }
.search input, form.try input, form.try textarea {
  box-sizing: border-box; padding: .4rem .6rem; border: 1px solid var(--soft); border-radius: 6px; font: inherit;
  font-size: .875rem; color: inherit; background: var(--paper);
}
.contents li[hidden] { display: none; }
button.try, form.try button {
  padding: .35rem .8rem; border: 1px solid var(--soft); border-radius: 6px; font: inherit; font-size: .875rem;
  color: inherit; background: var(--panel); cursor: pointer;
}
.sample > .trouble { margin: .4rem 0 0; font-size: .875rem; color: var(--delete); }
.sample > .trouble:empty { display: none; }
form.try { display: grid; gap: .6rem; margin-bottom: 1.25rem; }
form.try label span { display: block; margin-bottom: .15rem; font-size: .8125rem; color: var(--soft); }
form.try input, form.try textarea { width: 100%; }
form.try textarea { font-family: var(--mono); }
form.try button { justify-self: start; }
form.try .outcome { margin: 0; min-height: 1.5rem; font-weight: 600; }
form.try pre { max-height: 24rem; overflow: auto; margin: 0; }

main { max-width: 94rem; padding: 2rem 1.25rem 5rem; }
.lead { font-size: 1.125rem; color: var(--soft); }
.facts { margin: 1.5rem 0 0; display: grid; grid-template-columns: max-content 1fr; gap: .35rem 1.5rem; }
.facts dt { color: var(--soft); }
.facts dd { margin: 0; overflow-wrap: anywhere; }
.chapter { margin-top: 3.5rem; padding-top: 2.5rem; border-top: 1px solid var(--line); }
.entry { padding: 1.75rem 0; }
.entry + .entry { border-top: 1px solid var(--line); }
.entry { position: relative; }
.entry:target::before {
  content: ''; position: absolute; inset: 1.75rem auto 1.75rem -1.25rem; width: 4px; background: var(--horn);
}
.text > :first-child, .sample > :first-child { margin-top: 0; }
.text > :last-child { margin-bottom: 0; }
.sample { margin-top: 1.75rem; }

.method {
  display: inline-block; padding: .1rem .45rem; border-radius: 5px; font: 600 .75rem/1.5 var(--mono);
  letter-spacing: .02em;
}
.get { color: var(--get); background: var(--get-tint); }
.post { color: var(--post); background: var(--post-tint); }
.put, .patch { color: var(--put); background: var(--put-tint); }
.delete { color: var(--delete); background: var(--delete-tint); }
.path { display: flex; gap: .6rem; align-items: baseline; max-width: none; }
.path code { padding: 0; background: none; font-size: .9375rem; }
.path var { font-style: normal; color: var(--brass); }
.notes { margin: 0 0 .75rem; padding: 0; list-style: none; font-size: .875rem; color: var(--soft); }
.notes b { font-weight: 600; color: var(--ink); }
.notes li { display: inline; }
.notes li + li::before { content: ' · '; }
.kind { font-weight: 400; color: var(--soft); }

table { width: 100%; border-collapse: collapse; font-size: .9375rem; }
th, td { padding: .5rem 0; text-align: left; vertical-align: top; font-weight: 400; border-top: 1px solid var(--line); }
th { padding-right: 1rem; }
thead th { padding: 0 1rem .35rem 0; border: 0; font-size: .8125rem; color: var(--soft); }
td p { margin: .15rem 0 0; }
.fields th:first-child { width: 36%; }
.fields th code { font-weight: 600; }
.way { font-weight: 400; color: var(--soft); }
.required { font-size: .8125rem; font-weight: 600; color: var(--brass); }
.limit { color: var(--soft); font-size: .875rem; }
.limit::before { content: '· '; }
.errors th:first-child { width: 45%; }
.errors code { padding: 0; background: none; overflow-wrap: anywhere; }

details { margin-top: 1rem; }
summary { width: max-content; padding: .15rem 0; font-size: .875rem; font-weight: 600; cursor: pointer; }
details[open] > summary { margin-bottom: .5rem; }
details > p { font-size: .875rem; color: var(--soft); }

.sample h4 { margin: 1.25rem 0 .4rem; color: var(--soft); }
details.source { margin-top: .5rem; }
.status { color: var(--post); }
.command { user-select: all; }
.json-text { color: var(--post); }
.json-value { color: var(--get); }

@media (min-width: 60rem) {
  body { display: grid; grid-template-columns: 18rem minmax(0, 1fr); }
  .bar, .contents .close { display: none; }
  .contents, .contents:target {
    position: sticky; inset: 0 auto auto 0; z-index: 0; display: block; height: 100vh; height: 100dvh;
    border-right: 1px solid var(--line);
  }
  main { padding: 3rem 3rem 6rem; }
  .entry:target::before { left: -1.5rem; }
}
@media (min-width: 82rem) {
  .entry { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 30rem); gap: 3rem; }
  .sample { position: sticky; top: 1.5rem; align-self: start; margin-top: 0; }
}
@media (max-width: 60rem) {
  html { scroll-padding-top: 4rem; }
  .contents li li a { padding: .45rem .5rem; }
}
@media (pointer: coarse) {
  summary { padding: .6rem 0; }
}
@media (forced-colors: active) {
  .method { border: 1px solid; }
  .entry:target { outline: 2px solid Highlight; }
}
@media print {
  body { display: block; }
  .bar, .contents, .skip { display: none; }
}
`;
