/** The keywords that people may choose for labels: an atom (RFC 9051, section 9) of at most 100 characters. */
export const KEYWORD = /^[!#$&'+,./0-9:;<=>?@A-Z[^_`a-z|}~-]{1,100}$/;
