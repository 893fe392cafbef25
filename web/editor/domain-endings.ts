/** What a name without `https://` or `www.` ends with if it is a link: the countries, and the other endings in wide use. */
export const DOMAIN_ENDINGS: ReadonlySet<string> = new Set(
  `ac ad ae af ag ai al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bm bn bo br bs bt bv bw by bz ca cc cd
  cf cg ch ci ck cl cm cn co cr cu cv cw cx cy cz de dj dk dm do dz ec ee eg er es et eu fi fj fk fm fo fr ga gb gd ge
  gf gg gh gi gl gm gn gp gq gr gs gt gu gw gy hk hm hn hr ht hu id ie il im in io iq ir is it je jm jo jp ke kg kh ki
  km kn kp kr kw ky kz la lb lc li lk lr ls lt lu lv ly ma mc md me mg mh mk ml mm mn mo mp mq mr ms mt mu mv mw mx my
  mz na nc ne nf ng ni nl no np nr nu nz om pa pe pf pg ph pk pl pm pn pr ps pt pw py qa re ro rs ru rw sa sb sc sd se
  sg sh si sk sl sm sn so sr ss st su sv sx sy sz tc td tf tg th tj tk tl tm tn to tr tt tv tw tz ua ug uk us uy uz va
  vc ve vg vi vn vu wf ws ye yt za zm zw
  com org net edu gov mil int info biz name pro mobi asia cat coop aero museum jobs post tel travel arpa
  app dev page blog cloud email news online site website web store shop tech digital media studio design agency company
  group team work works space world today life live club social community network systems solutions services
  support software tools wiki zone events photo photos pics video tv radio art gallery music film games game fun
  academy school college university education training science health care clinic dental fitness yoga restaurant cafe
  bar pub wine beer pizza food recipes kitchen farm garden house homes haus immo immobilien property rent estate land
  city town berlin hamburg koeln cologne bayern nrw ruhr saarland wien tirol swiss zuerich london wales scot paris bzh
  amsterdam nyc miami vegas tokyo osaka sydney melbourne africa lat kiwi eus gal
  bank finance money insure fund capital ventures partners consulting expert guru legal law attorney tax accountants
  gmbh ltd inc llc srl verein foundation ngo ong charity church earth eco green bio energy solar auto car cars bike
  moda fashion style shoes jewelry boutique gifts toys kids baby family dog pet vet holiday vacations tours flights
  hotel hotels camp surf ski sport football golf run one xyz top vip win icu ink link click help chat codes computer
  hosting host domains direct delivery express market marketing parts supply trade press report reviews review
  love dating wedding party bet casino poker
  рф рус укр бг срб ελ ευ 中国 中國 公司 网络 台湾 台灣 香港 新加坡 한국 ไทย भारत`.split(/\s+/),
);
