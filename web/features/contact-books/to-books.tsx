import { Link } from '@tanstack/react-router';
import { texts } from '../../texts/en.ts';
import { buttonClasses } from '../../ui/button.tsx';

/** For what cannot begin without a contact book. */
export function ToBooks() {
  return (
    <Link to="/contact-books" className={buttonClasses()}>
      {texts.contacts.books}
    </Link>
  );
}
