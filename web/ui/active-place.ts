/** The classes of the navigation entry for the current page. Its icon has the accent colour. */
export const ACTIVE_PLACE = 'bg-hover font-medium text-ink! [&>svg]:text-brass';
