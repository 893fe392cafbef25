/** The entry of a navigation that leads to the page that is shown. Its icon has the accent colour. */
export const ACTIVE_PLACE = 'bg-hover font-medium text-ink! [&>svg]:text-brass';
