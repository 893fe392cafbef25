import { Link } from '@tanstack/react-router';
import { contactTexts } from '../../texts/en/contacts.ts';
import { CREATE_HASH } from '../../ui/asked-to-create.ts';
import { buttonClasses } from '../../ui/button.tsx';

/** Shown where a contact book is required and there is none. */
export function ToBooks() {
  return (
    <Link to="/contact-books" hash={CREATE_HASH} className={buttonClasses('primary')}>
      {contactTexts.firstBook}
    </Link>
  );
}
